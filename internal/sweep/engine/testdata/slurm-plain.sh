#!/bin/bash
#SBATCH --job-name=attnconv-mine-1
#SBATCH --array=0-2
#SBATCH --time=01:10:00
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=4
#SBATCH --mem=1025M
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:USR1@120
#SBATCH --output=/srv/mine/jobs/%A_%a.log

# 12 runs of a sweep, 4 a task
# Exit code 75: saved before its limit, to be run again.
cd /srv || exit 1
told= code=0
trap 'told=1; kill -USR1 $!' USR1
trap 'told=1' TERM
/opt/attnconv sweep run /srv/mine &
child=$!
wait "$child" || code=$?
while [ -n "$told" ] && [ "$code" -gt 128 ]; do # the signal ended the wait; a second one returns the child's code
	told=
	code=0
	wait "$child" || code=$?
done
if [ "$code" -eq 75 ]; then
	exec scontrol requeue "$SLURM_ARRAY_JOB_ID"_"$SLURM_ARRAY_TASK_ID"
fi
exit "$code"
