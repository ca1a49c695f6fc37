#!/bin/sh
# check_ptxas_report.sh PREFIX [EXCEPT [MODELS]]: reads what ptxas said of the kernels of models (PREFIX*.ptxas). Kernels
# must keep everything in registers: no stack frame, no spill. Those whose demangled name matches the regular expression
# EXCEPT are only reported. A report that could not be read is no success: each must have the chain kernels of a built-in
# model or, with MODELS, one of HMC for each of these classes.
set -eu
prefix=$1
except=${2:-^$}
models=${3:-}
for report in "$prefix"*.ptxas; do
  echo "REPORT $(basename "$report")"
  c++filt <"$report"
done | awk -v except="$except" -v models="$models" '
  function complete(kernel) {
    if (report != "" && !(kernel in seen)) { printf "MISSING  %s: no kernel %s\n", report, kernel; ++failed }
  }
  function end_report(  s, k, n, p) {
    if (models != "") {
      n = split(models, s, " ")
      for (k = 1; k <= n; ++k) complete("Hmc of " s[k] " float")
    } else if (report ~ /_leaves_cuda/) {  # kernels of HMC alone
      complete("advance_kernel Hmc float")
      complete("advance_kernel Hmc double")
    } else {
      n = split("float double", p, " ")
      while (n > 0) {
        for (k = split("Metropolis SingleComponent Hmc Mala Ula", s, " "); k > 0; --k)
          complete("advance_kernel " s[k] " " p[n])
        complete("initialise_kernel true " p[n])
        complete("initialise_kernel false " p[n--])
      }
    }
    delete seen
  }
  /^REPORT / { end_report(); report = $2; next }
  /Compiling entry function/ {
    name = $0; sub(/^[^\x27]*\x27/, "", name); sub(/\x27 for .*/, "", name)
    sub(/^void /, "", name); sub(/>\(.*/, ">", name)
    gsub(/manychain::(cuda::)?(\(anonymous namespace\)::)?/, "", name)
    gsub(/\(anonymous namespace\)::/, "", name)
    target = $0; sub(/.*\x27 for \x27/, "", target); sub(/\x27.*/, "", target)
    kernel = name; sub(/<.*/, "", kernel)
    part = name; sub(/, [a-z]*>$/, "", part)
    if (kernel == "advance_kernel") sub(/, (true|false)$/, "", part)  # whether it shows proposals
    sub(/<[^<]*>$/, "", part); sub(/.*, /, "", part)  # the sampler, or true or false
    single = name ~ /, float>$/
    seen[kernel " " part " " (single ? "float" : "double")] = 1
    model = name; sub(/^[^<]*</, "", model); sub(/<.*/, "", model)
    if (kernel == "advance_kernel") seen[part " of " model " " (single ? "float" : "double")] = 1
  }
  /bytes stack frame/ { stack = $1; spill = $5 + $9 }
  /Used [0-9]+ registers/ {
    for (i = 1; i < NF; ++i) if ($i == "Used") registers = $(i + 1)
    ++kernels
    verdict = "ok"
    if (stack + spill > 0) {
      verdict = "reported"
      if (name !~ except) { verdict = "FAILED"; ++failed }
    }
    printf "%-8s %s %3d registers, %d bytes stack, %d bytes spilled: %s\n", verdict, target, registers, stack, spill, name
    stack = spill = 0
  }
  END {
    end_report()
    printf "%d kernels, %d failed\n", kernels, failed
    exit kernels == 0 || failed > 0
  }'
