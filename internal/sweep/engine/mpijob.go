package engine

import (
	"fmt"

	"github.com/attnconv/attnconv/option"
)

// The names that the MPI operator and its images give to things: kubeflow.org/v2beta1, as of 0.6, mpioperator/openmpi.
const (
	mpiUser    = 1000 // mpiuser, who may run sshd there
	mpiHome    = "/home/mpiuser"
	mpiPort    = 2222
	mpiName    = 40 // letters of a job's name: with -9999-worker-9999 behind it, the name of a host
	mpiRetries = 6  // of a launcher: fault.Requeue also counts here
)

// noMPIJobs returns what MPIJobs cannot express of a job with ranks.
func noMPIJobs(j Job) error {
	switch {
	case j.Ranks == 0:
		return nil
	case j.AtMost > 0:
		return option.Errorf("at-most",
			"and --ranks: each task is an MPIJob of its own; how many run at a time is the queue's to say")
	case len(j.Name) > mpiName:
		return option.Errorf("name", "%q: want at most %d letters for MPIJobs", j.Name, mpiName)
	}
	return nil
}

// mpiJobs writes an MPIJob for each task, as an MPIJob has no index: its launcher runs the command, which starts the
// ranks by mpirun, one in each worker. A queue then admits, retries and deletes each task by itself.
func (m *manifest) mpiJobs(j Job) {
	for i := range j.Tasks {
		if i > 0 {
			m.line(0, "---")
		}
		m.head(j, "kubeflow.org/v2beta1", "MPIJob", fmt.Sprintf("%s-%d", j.Name, i))
		m.line(2, "slotsPerWorker: 1")
		m.line(2, "launcherCreationPolicy: WaitForWorkersReady")
		m.line(2, "sshAuthMountPath: %s/.ssh", mpiHome)
		m.line(2, "mpiImplementation: OpenMPI")
		m.line(2, "runPolicy: {cleanPodPolicy: Running, backoffLimit: %d}", mpiRetries)
		m.line(2, "mpiReplicaSpecs:")
		m.replicas("Launcher", 1)
		m.limit(10, j)
		m.pod(10, j, mpiUser)
		m.line(12, "command: [attnconv]")
		m.arguments(12, j)
		m.line(12, "env:")
		m.line(12, "- {name: JOB_COMPLETION_INDEX, value: \"%d\"}", i)
		m.size(12, 1, 512<<20)
		m.rights()
		m.volume(10, j)
		m.replicas("Worker", j.Ranks)
		m.pod(10, j, mpiUser)
		m.line(12, "command: [/usr/sbin/sshd]")
		m.line(12, "args: [-De, -f, %s/.sshd_config]", mpiHome)
		m.line(12, "readinessProbe: {tcpSocket: {port: %d}}", mpiPort)
		m.size(12, j.Cores, j.Memory)
		m.rights()
		m.volume(10, j)
	}
}

// replicas writes the head of the pods of one kind.
func (m *manifest) replicas(kind string, n int) {
	m.line(4, "%s:", kind)
	m.line(6, "replicas: %d", n)
	m.line(6, "restartPolicy: Never")
	m.line(6, "template:")
	m.line(8, "metadata:")
	m.line(10, "labels: {app.kubernetes.io/name: attnconv}")
	m.line(8, "spec:")
}

// rights writes those of a container. The image's sshd is a file with NET_BIND_SERVICE, which the kernel refuses to run
// where that is dropped; sshd and mpirun write outside of the claim.
func (m *manifest) rights() {
	m.line(12, "securityContext:")
	m.line(14, "allowPrivilegeEscalation: false")
	m.line(14, "capabilities: {drop: [ALL], add: [NET_BIND_SERVICE]}")
}
