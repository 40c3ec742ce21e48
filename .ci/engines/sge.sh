# sge_qmaster and sge_execd on this machine. Debian's packages keep the cell in /var/lib/gridengine and the spool in
# /var/spool/gridengine: both are put back as they were. Root only, and only where no Grid Engine runs.
stop_sge() { # for the trap of EXIT
	set +e
	[ -n "${master:-}" ] && qdel -u '*' && sleep 2
	for file in execd/localhost/execd.pid qmaster/qmaster.pid; do
		pid=$(cat "/var/spool/gridengine/$file") && kill "$pid" || continue
		for _ in $(seq 30); do kill -0 "$pid" && sleep 1; done # it writes to its spool until then
	done
	rm -rf /var/lib/gridengine /var/spool/gridengine
	cp -a "$scratch/cell" /var/lib/gridengine && cp -a "$scratch/spool" /var/spool/gridengine
	cd / && rm -rf "$scratch"
} >/dev/null 2>&1

start_sge() {
	[ "$(id -u)" = 0 ] || fail "it needs root"
	! pgrep -x sge_qmaster >/dev/null || fail "a Grid Engine runs here already"
	export SGE_ROOT=/var/lib/gridengine SGE_CELL=default
	cp -a /var/lib/gridengine "$scratch/cell" && cp -a /var/spool/gridengine "$scratch/spool"
	trap stop_sge EXIT
	say "sge_qmaster and sge_execd"
	chmod 755 "$scratch"
	host=localhost
	echo "$host" >/var/lib/gridengine/default/common/act_qmaster
	echo "$host $(hostname)" >/var/lib/gridengine/default/common/host_aliases # where 127.0.0.1 has both names
	runuser -u sgeadmin -- sge_qmaster
	await 30 "the master answers" qconf -sh
	master=1
	as() { runuser -u sgeadmin -- "$@"; }
	as qconf -am root >/dev/null || true
	as qconf -ah "$host" >/dev/null || true
	as qconf -as "$host" >/dev/null || true
	qconf -ssconf | sed 's/^schedule_interval .*/schedule_interval 0:0:2/' >"$scratch/sched"
	as qconf -Msconf "$scratch/sched" >/dev/null
	qconf -sconf | sed 's/^min_\([ug]\)id .*/min_\1id 0/' >"$scratch/global"
	as qconf -Mconf "$scratch/global" >/dev/null
	printf 'group_name @allhosts\nhostlist %s\n' "$host" >"$scratch/hosts"
	as qconf -Ahgrp "$scratch/hosts" >/dev/null || as qconf -Mhgrp "$scratch/hosts" >/dev/null
	cat >"$scratch/queue" <<EOF
qname all.q
hostlist @allhosts
seq_no 0
load_thresholds NONE
suspend_thresholds NONE
nsuspend 1
suspend_interval 00:05:00
priority 0
min_cpu_interval 00:05:00
processors UNDEFINED
qtype BATCH INTERACTIVE
ckpt_list NONE
pe_list NONE
rerun TRUE
slots $(nproc)
tmpdir /tmp
shell /bin/bash
prolog NONE
epilog NONE
shell_start_mode unix_behavior
starter_method NONE
suspend_method NONE
resume_method NONE
terminate_method NONE
notify 00:00:60
owner_list NONE
user_lists NONE
xuser_lists NONE
subordinate_list NONE
complex_values NONE
projects NONE
xprojects NONE
calendar NONE
initial_state default
s_rt INFINITY
h_rt INFINITY
s_cpu INFINITY
h_cpu INFINITY
s_fsize INFINITY
h_fsize INFINITY
s_data INFINITY
h_data INFINITY
s_stack INFINITY
h_stack INFINITY
s_core INFINITY
h_core INFINITY
s_rss INFINITY
h_rss INFINITY
s_vmem INFINITY
h_vmem INFINITY
EOF
	as qconf -Aq "$scratch/queue" >/dev/null || as qconf -Mq "$scratch/queue" >/dev/null
	sge_execd
	await 60 "the host reports its memory" sh -c "qhost -h $host -F mem_free | grep -q mem_free="
	qstat -help | head -1
}
