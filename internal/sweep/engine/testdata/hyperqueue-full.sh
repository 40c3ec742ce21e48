#!/bin/bash
#HQ --name=attnconv-mine-1
#HQ --array=0-2
#HQ --time-request=4200s
#HQ --cpus=4
#HQ --resource mem=1025
#HQ --crash-limit=3
#HQ --stdout=none
#HQ --stderr=none
#HQ --gres=gpu:1

# 12 runs of a sweep, 4 a task
# Exit code 75: saved before its limit, to be run again.
cd '/srv/it'\''s; a $(touch no) $HOME `x` "y" %A #z' || exit 1
exec >>'/srv/it'\''s; a $(touch no) $HOME `x` "y" %A #z/jobs/'"$HQ_JOB_ID"_"$HQ_TASK_ID".log 2>&1 </dev/null
told= code=0
trap 'told=1; kill -USR1 $!' USR1
trap 'told=1' TERM
/opt/attnconv sweep run '/srv/it'\''s; a $(touch no) $HOME `x` "y" %A #z' &
child=$!
wait "$child" || code=$?
while [ -n "$told" ] && [ "$code" -gt 128 ]; do # the signal ended the wait; a second one returns the child's code
	told=
	code=0
	wait "$child" || code=$?
done
if [ "$code" -eq 75 ]; then
	exit "$code"
fi
exit "$code"
