# slurmctld and slurmd on this machine, loopback only, in the temporary folder $scratch. Root only; munged is started
# unless it runs.
stop_slurm() { # for the trap of EXIT
	set +e
	[ -n "${bumper:-}" ] && kill "$bumper"
	[ -f "$scratch/slurm.conf" ] && scancel -u "$(id -un)" 2>/dev/null && sleep 2
	for daemon in slurmd slurmctld; do [ -f "$scratch/$daemon.pid" ] && kill "$(cat "$scratch/$daemon.pid")"; done
	sleep 1
	[ -n "${munged:-}" ] && kill "$(cat /run/munge/munged.pid)"
	cd / && rm -rf "$scratch"
} 2>/dev/null

start_slurm() {
	trap stop_slurm EXIT
	say "slurmctld and slurmd"
	chmod 755 "$scratch"
	if ! munge -n 2>/dev/null | unmunge >/dev/null 2>&1; then
		mkdir -p /run/munge && chown munge: /run/munge
		runuser -u munge -- munged
		munged=1
	fi
	host=$(hostname -s)
	cpus=$(slurmd -C | sed -n 's/.*CPUs=\([0-9]*\).*/\1/p')
	export SLURM_CONF=$scratch/slurm.conf
	cat >"$SLURM_CONF" <<EOF
ClusterName=attnconv
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort=16817
SlurmdPort=16818
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/slurmd.pid
SlurmctldLogFile=$scratch/slurmctld.log
SlurmdLogFile=$scratch/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc=$scratch/completed
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 CPUs=$cpus RealMemory=4000
PartitionName=main Nodes=n1 Default=YES State=UP
EOF
	slurmctld -c
	slurmd -c -N n1
	await 30 "the node is idle" sh -c 'sinfo -h -o %t | grep -qx idle'
	slurmctld -V
	while sleep 2; do # a requeued task waits for two minutes
		for id in $(squeue -h -t PD -o '%A %r' | sed -n 's/ BeginTime$//p'); do
			scontrol update JobId="$id" StartTime=now || true
		done
	done >/dev/null 2>&1 &
	bumper=$!
}
