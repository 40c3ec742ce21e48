#!/usr/bin/env bash
# point.sh FLAGS...   one point of bench.py, in the environment in which PyTorch runs fastest.
#
#   SCRIPT    what runs there (default: bench.py)
#   BLAS      folder of the library below /usr/lib/<machine>: blis-openmp, openblas-openmp, openblas-pthread
#   BLIS_ARCH_TYPE   blis-openmp's kernels; default with AVX-512: skx, which BLIS does not detect on newer processors
#   OPENBLAS_CORETYPE   the same for OpenBLAS: SKYLAKEX
#   THREADS   per process (default: all cores)
#   PAGES     keep: the allocator keeps freed memory, in huge pages; anything else: the system's defaults
set -euo pipefail
export PYTHONDONTWRITEBYTECODE=1
here=$(cd "$(dirname "$0")" && pwd)
threads=${THREADS:-$(nproc)}
BLAS=${BLAS:-blis-openmp}
libraries=$(echo /usr/lib/*/"$BLAS")
[ -e "$libraries/libblas.so.3" ] || { echo "point.sh: BLAS=$BLAS: no $libraries/libblas.so.3" >&2; exit 3; }
export LD_LIBRARY_PATH=$libraries
export OMP_NUM_THREADS=$threads OPENBLAS_NUM_THREADS=$threads BLIS_NUM_THREADS=$threads
if grep -qw avx512f /proc/cpuinfo; then
	export BLIS_ARCH_TYPE=${BLIS_ARCH_TYPE:-skx} OPENBLAS_CORETYPE=${OPENBLAS_CORETYPE:-SKYLAKEX}
fi
if [ "${PAGES:-keep}" = keep ]; then
	export MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=100000000000 MALLOC_TOP_PAD_=268435456
	export GLIBC_TUNABLES=glibc.malloc.hugetlb=1
fi
exec /usr/bin/python3 "$here/${SCRIPT:-bench.py}" --threads "$threads" "$@"
