#!/bin/bash
#$ -N attnconv-mine-1
#$ -S /bin/bash
#$ -t 1-3
#$ -l h_rt=4200,s_rt=4080,mem_free=1025M
#$ -r y
#$ -j y
#$ -o /dev/null
#$ -pe smp 4

# 12 runs of a sweep, 4 a task
# Exit code 75: saved before its limit, to be run again.
cd /srv || exit 1
exec >>/srv/mine/jobs/"$JOB_ID"_"$SGE_TASK_ID".log 2>&1 </dev/null
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
	exit 99
fi
exit "$code"
