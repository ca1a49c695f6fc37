#!/bin/sh
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=4
#SBATCH --cpus-per-task=8
#SBATCH --time=00:10:00
# A rank for each memory domain or GPU; the threads of the machine are shared among its ranks.
srun ./heat_on_ranks
