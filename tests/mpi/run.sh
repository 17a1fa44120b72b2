#!/usr/bin/env bash
# run.sh MPIRUN RANKS PROGRAM...: PROGRAM on so many ranks, however few processors there are, as any user. Other
# transports than shared memory only slow the start of a machine's own ranks.
set -u
mpirun=$1 ranks=$2
shift 2
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl=self,vader OMPI_MCA_pml=ob1 OMPI_MCA_mpi_yield_when_idle=1
exec timeout 200 "$mpirun" --bind-to none -n "$ranks" "$@"
