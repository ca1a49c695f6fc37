#!/bin/sh
# Runs scripts/gpu_check.sh with programs that pass, fail, hang or do not start. It needs no GPU: the programs, nvidia-smi and
# compute-sanitizer are made up here. Each writes a line to the file "calls" when it is run.
#
#   gpu_check.sh SCRIPTS FOLDER
scripts=$(cd "$1" && pwd)
rm -rf "$2"
mkdir -p "$2/bin" "$2/tools" "$2/lib/compiler"
cd "$2" || exit 1
here=$PWD
failures=0

cat >bin/backends <<'END'
#!/bin/sh
case "$*" in *list_tests*) echo "CudaEngine."; echo "  runs"; exit 0 ;; esac
echo "backends $MANYCHAIN_REQUIRE_GPU" >>"$CALLS"
sleep "${TESTS_TAKE:-0}"
exit "${TESTS:-0}"
END
cat >bin/manychain <<'END'
#!/bin/sh
case "$*" in --version) echo "manychain 0"; exit "${STARTS:-0}" ;; esac
echo "manychain $*" >>"$CALLS"
sleep "${GALLERY_TAKES:-0}"
exit "${GALLERY:-0}"
END
cat >bin/manychain_bench <<'END'
#!/bin/sh
case "$*" in *--list*) exit 0 ;; esac
echo "manychain_bench $*" >>"$CALLS"
case "$*" in
  *--json*) [ "${BENCH:-0}" = 0 ] || exit "$BENCH"; echo '{"measured": true}' >"$4" ;;
  *) exit "${COMPARE:-0}" ;;
esac
END
cat >tools/nvidia-smi <<'END'
#!/bin/sh
case "$*" in
  *query-gpu*) echo "NVIDIA H200, ${CAPABILITY:-9.0}, 580.1" ;;
  *) echo "| NVIDIA-SMI 580.1   Driver Version: 580.1   ${CUDA_SAYS:-CUDA Version: 13.0}   |" ;;
esac
END
cat >tools/compute-sanitizer <<'END'
#!/bin/sh
if [ "$1" = --help ]; then echo "  --${EXCLUDE:-kernel-name-exclude} arg  Kernels to leave out"; exit 0; fi
echo "compute-sanitizer $*" >>"$CALLS"
[ -z "${SANITIZER_SAYS:-}" ] || echo "========= $SANITIZER_SAYS"
sleep "${SANITIZER_TAKES:-0}"
exit "${SANITIZER:-0}"
END
chmod +x bin/* tools/*
cat >nothing <<'END'
#!/bin/sh
echo "$0: error while loading shared libraries: libnetcdf.so.19: cannot open shared object file" >&2
exit 127
END
chmod +x nothing

pack() {
  rm -rf packed
  mkdir packed
  printf 'commit=abc\narchitectures=%s\ncuda=13.0.88\nisa=sse2\nglibc=glibc 2.36\ncompiler=c++ 12\n' "${1:-90}" >packed/manifest
  tar czf packed/programs.tar.gz bin lib
}
pack

# run NAME STATUS [VARIABLE=VALUE...]: the exit status; the output is left in "out", the calls in "calls". A file "$earlier"
# lies among the results, unless that is empty.
earlier=''
run() {
  name=$1 status=$2
  shift 2
  rm -rf results calls
  touch calls
  [ -z "$earlier" ] || { mkdir results && echo '{"measured": "earlier"}' >"results/$earlier"; }
  env CALLS="$here/calls" PATH="$here/tools:$PATH" "$@" \
    sh "$scripts/gpu_check.sh" --prebuilt packed --results results --seconds 3 >out 2>&1
  got=$?
  [ $got -eq "$status" ] || wrong "exit status $got, expected $status"
}
wrong() {
  echo "$name: $*"
  sed 's/^/    /' out calls
  failures=$((failures + 1))
}
says() { grep -Eq -- "$1" out || wrong "expected a line: $1"; }
order() { [ "$(cut -d' ' -f1 calls | tr '\n' ' ')" = "${1:+$1 }" ] || wrong "expected the calls: $1"; }
figures() { ls results/h200-*-abc.json results/h200-*-abc.txt >/dev/null 2>&1 || wrong "no figures were kept"; }
marked_figures() {
  ls results/h200-*-abc-failed.json results/h200-*-abc-failed.txt >/dev/null 2>&1 || wrong "no figures were kept, marked"
  ls results/h200-*-abc.json >/dev/null 2>&1 && wrong "figures are not marked"
  command -v python3 >/dev/null || return 0
  python3 -c 'import json, sys; kept = json.load(open(sys.argv[1])); sys.exit(kept != {"failed": sys.argv[2], "measured": True})' \
    results/h200-*-failed.json "$1" || wrong "the figures do not say: $1"
}
no_figures() { ls results/*.json >/dev/null 2>&1 && wrong "figures were kept"; }

all="backends manychain manychain_bench manychain_bench compute-sanitizer compute-sanitizer"
run "all well" 0
order "$all"
figures
says 'memcheck found nothing'
says '^Written: .*/results/h200-'
grep -q '^backends 1$' calls || wrong "tests must fail without a GPU"
grep -q -- '--seconds 3' calls || wrong "arguments go to the benchmark"
grep 'initcheck' calls | grep -q -- '--kernel-name-exclude kns=cub' || wrong "initcheck leaves out the kernels of CUB"
grep 'memcheck' calls | grep -q -- 'exclude' && wrong "memcheck leaves out nothing"
grep -q 'commit abc' results/*.txt || wrong "the log names the commit"

run "older sanitizer" 0 EXCLUDE=kernel-regex-exclude
grep -q -- '--kernel-regex-exclude kns=cub' calls || wrong "the option's old name"

run "a test fails" 1 TESTS=1
order "$all"
marked_figures "GPU tests failed with status 1"
says '^gpu_check: GPU tests failed with status 1; .*-failed.json has what was measured beside it'

run "tests hang" 1 TESTS_TAKE=30 GPU_CHECK_SECONDS=6
order "$all"
marked_figures "GPU tests ran out of time"
says 'out of time after [0-9]+ s'

run "the gallery disagrees" 1 GALLERY=5
order "$all"
marked_figures "the gallery failed with status 5"

run "the gallery hangs" 0 GALLERY_TAKES=30 GPU_CHECK_SECONDS=6
order "$all"
figures
says 'the gallery ran out of time'

run "all fails" 1 TESTS=1 GALLERY=5 BENCH=3 SANITIZER=9
order "backends manychain manychain_bench compute-sanitizer compute-sanitizer"
no_figures
ls results/h200-*-abc-failed.txt >/dev/null 2>&1 || wrong "no log was kept"
says '^gpu_check: GPU tests failed with status 1; the gallery failed with status 5; the benchmark failed with status 3; no figures'
says 'memcheck FOUND SOMETHING'

run "the benchmark fails" 1 BENCH=3
order "backends manychain manychain_bench compute-sanitizer compute-sanitizer"
no_figures

earlier=h200-$(date -u +%Y-%m-%d)-abc-failed.json
run "the benchmark fails, and an earlier check kept figures" 1 BENCH=3
earlier=''
says '^gpu_check: the benchmark failed with status 3; no figures were kept$'

# The pack is compared with the device and its driver before anything runs.
run "an older device" 2 CAPABILITY=8.0
order ""
no_figures
says 'packed for architectures 90, this GPU is 80 .*--architectures 80$'

run "an older driver" 2 CUDA_SAYS='CUDA Version: 12.9'
order ""
says 'driver 580.1 runs CUDA up to 12.9, the programs are built by CUDA 13.0.88: take a newer driver'

run "a newer driver" 0 CUDA_SAYS='CUDA UMD Version: 14.1'
order "$all"
says 'packed: architectures 90, CUDA 13.0.88; here: 90, driver 580.1, which runs CUDA 14.1'

run "a driver that does not say" 0 CUDA_SAYS=' '
order "$all"
says 'which runs CUDA unknown'

run "a newer device" 0 CAPABILITY=12.0
order "$all"
says 'no code for 120 in the pack: the driver compiles the PTX of 90 first'

pack "80-real;90a-real"
run "a newer device and no PTX" 2 CAPABILITY=12.0
order ""
says 'packed for architectures 80-real;90a-real'
run "one of several" 0 CAPABILITY=8.9
order "$all"
# A letter binds code and PTX alike to one number.
for packed in 90a 90a-virtual 100f; do
  pack $packed
  run "a newer device and $packed" 2 CAPABILITY=12.0
  order ""
  says "packed for architectures $packed, this GPU is 120"
done
run "an older device and 100f" 2
run "another device of the family of 100f" 2 CAPABILITY=10.3
pack 90a-virtual
run "its own device" 0
order "$all"
says 'the driver compiles the PTX of 90a-virtual first'
# Words that CMake gives a meaning to.
for packed in native all-major 90-other x; do
  pack $packed
  run "architectures $packed" 0
  order "$all"
  says "whether architecture $packed fits this GPU is not known here, and is not compared"
  grep -Eq 'rror|llegal' out && wrong "an error of the shell"
done
pack 'native;80-real'
run "a word and an older device" 0
says 'architecture native .*not compared'
pack 'native;90'
run "a word and the device" 0
grep -q 'not compared' out && wrong "one of them fits"
pack 90-virtual
sed -i 's/^cuda=.*/cuda=13.1.48/' packed/manifest
run "an older driver that must compile" 2
order ""
says 'or with --architectures 90, so that the driver need not compile'
pack

run "the comparison fails" 0 COMPARE=3
order "$all"
figures
says 'comparison failed'

run "the sanitizer finds something" 3 SANITIZER=9
order "$all"
figures
says '^gpu_check: memcheck FOUND SOMETHING, see the log; initcheck FOUND SOMETHING'

run "the sanitizer hangs" 0 SANITIZER_TAKES=30 GPU_CHECK_SECONDS=5
order "$all"
figures
says 'memcheck ran out of time; it had found nothing'
says 'initcheck ran out of time; it had found nothing'

run "the sanitizer finds something and hangs" 3 SANITIZER_TAKES=30 GPU_CHECK_SECONDS=5 \
  SANITIZER_SAYS='Invalid __global__ read of size 4 bytes'
order "$all"
figures
says '^gpu_check: memcheck FOUND SOMETHING before its time was out, see the log; initcheck FOUND SOMETHING'

run "the sanitizer refuses the device" 0 SANITIZER=1
figures
says 'memcheck did not run to its end [(]status 1[)]'

mv tools/compute-sanitizer tools/elsewhere
run "no sanitizer" 0 PATH="$here/tools:/usr/bin:/bin"
[ -e /usr/local/cuda/bin/compute-sanitizer ] || says 'compute-sanitizer was not run'
figures
mv tools/elsewhere tools/compute-sanitizer

mv bin/manychain_bench kept
cp nothing bin/manychain_bench
pack
run "a library is missing" 1
order ""
no_figures
says 'libnetcdf.so.19: cannot open shared object file'
says 'packed where glibc was glibc 2.36'
mv kept bin/manychain_bench
pack

sed -i 's/isa=sse2/isa=avx512/' packed/manifest
if ! grep -qw avx512f /proc/cpuinfo; then
  run "another CPU" 1
  says 'built for avx512, which this CPU lacks'
fi

rm packed/manifest
run "nothing is packed" 2
says 'there is no manifest in packed'

# From source it builds the programs that it runs, for the GPU that is there. Warnings are no errors.
mkdir -p tree/scripts
cp "$scripts/gpu_check.sh" tree/scripts/
touch tree/CMakePresets.json
cat >tools/cmake <<'END'
#!/bin/sh
case "$1" in -P) echo def >&2; exit 0 ;; esac
echo "cmake $*" >>"$CALLS"
case "$1" in --build) mkdir -p build-gpu && cp -r ../bin build-gpu/ ;; esac
exit "${CMAKE:-0}"
END
printf '#!/bin/sh\n' >tools/nvcc
chmod +x tools/cmake tools/nvcc
name="from source"
rm -rf calls
env CALLS="$here/calls" PATH="$here/tools:$PATH" sh tree/scripts/gpu_check.sh --skip-sanitizer --results mine >out 2>&1 || wrong "exit status $?"
order "cmake cmake backends manychain manychain_bench manychain_bench"
ls mine/h200-*-def.json >/dev/null 2>&1 || wrong "no figures were kept"
grep -q -- '-DMANYCHAIN_CUDA_ARCHITECTURES=90 -DMANYCHAIN_WERROR=OFF' calls || wrong "how it is configured"
grep -q -- '--target backends manychain_cli manychain_gallery_cli manychain_bench$' calls || wrong "what is built"
rm -rf calls tree/bench
env CALLS="$here/calls" PATH="$here/tools:$PATH" CMAKE=1 sh tree/scripts/gpu_check.sh >out 2>&1 && wrong "exit status 0"
[ ! -e tree/bench ] || wrong "figures were kept"

[ $failures -eq 0 ] && echo "Right."
exit $((failures > 0))
