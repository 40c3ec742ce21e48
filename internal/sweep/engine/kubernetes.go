package engine

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/option"
)

// kubernetes: an Indexed Job of batch/v1, as of 1.33, which made retries per index stable; with ranks, an MPIJob for
// each task. The claim is mounted at the folder where the command runs, so that paths in the container are those of the
// machine that submits.
var kubernetes = Engine{
	Name: "kubernetes", Title: "Kubernetes", Program: "kubectl", Suffix: ".yaml", Usual: 100_000,
	Limit: "the limit of completions",
	Takes: []string{"ranks", "at-most", "queue", "image", "claim"}, Needs: []string{"image", "claim"},
	Refuses: func(j Job) error {
		if strings.Contains(j.Dir, ":") {
			return option.Errorf("folder", "%q: a volume cannot be mounted where the path has a colon", j.Dir)
		}
		for _, text := range append([]string{j.Dir, j.Logs}, j.Command...) {
			if !utf8.ValidString(text) {
				return option.Errorf("command", "%q: want UTF-8 in a manifest", text)
			}
		}
		return noMPIJobs(j)
	},
	Render: func(j Job) []byte {
		var m manifest
		if j.Ranks > 0 {
			m.mpiJobs(j)
		} else {
			m.indexedJob(j)
		}
		return []byte(m.String())
	},
	Submit: func(file string) []string { return []string{"create", "-f", file, "-o", "name"} },
	ID:     kubernetesID,
	Watch: func(id string) string {
		if name, ok := strings.CutPrefix(id, mpiPrefix); ok {
			return "kubectl get mpijobs -l app.kubernetes.io/instance=" + name
		}
		return "kubectl get job " + id
	},
}

// mpiPrefix is that of the ids of MPIJobs.
const mpiPrefix = "mpijobs/"

// kubernetesID takes the name of an Indexed Job from job.batch/NAME, and that which the MPIJobs of an array share from
// mpijob.kubeflow.org/NAME-0 in the first line.
func kubernetesID(printed string) string {
	first, _, _ := strings.Cut(printed, "\n")
	if name, ok := strings.CutPrefix(first, "mpijob.kubeflow.org/"); ok {
		return mpiPrefix + strings.TrimSuffix(name, "-0")
	}
	return strings.TrimPrefix(first, "job.batch/")
}

// A manifest is YAML in the making. Every text in it is a JSON string, which is also YAML.
type manifest struct{ strings.Builder }

func (m *manifest) line(indent int, format string, args ...any) {
	fmt.Fprintf(m, "%*s"+format+"\n", append([]any{indent, ""}, args...)...)
}

// head writes the metadata of an object.
func (m *manifest) head(j Job, version, kind, name string) {
	m.line(0, "# %s", j.About)
	m.line(0, "apiVersion: %s", version)
	m.line(0, "kind: %s", kind)
	m.line(0, "metadata:")
	m.line(2, "name: %s", text(name))
	m.line(2, "labels:")
	m.line(4, "app.kubernetes.io/name: attnconv")
	if name != j.Name {
		m.line(4, "app.kubernetes.io/instance: %s", text(j.Name))
	}
	if j.Queue != "" {
		m.line(4, "kueue.x-k8s.io/queue-name: %s", text(j.Queue))
	}
	m.line(0, "spec:")
}

// indexedJob writes the array as an Indexed Job. A pod that ends with fault.Requeue, or is told to end (SIGTERM), is
// replaced and not counted as a failure; wrong settings, missing and corrupt files (exit codes 2, 3 and 4) are not
// tried again.
func (m *manifest) indexedJob(j Job) {
	m.head(j, "batch/v1", "Job", j.Name)
	m.line(2, "completionMode: Indexed")
	m.line(2, "completions: %d", j.Tasks)
	parallel := j.Tasks
	if j.AtMost > 0 {
		parallel = min(parallel, j.AtMost)
	}
	m.line(2, "parallelism: %d", parallel)
	m.line(2, "backoffLimitPerIndex: %d", retries)
	m.line(2, "podFailurePolicy:")
	m.line(4, "rules:")
	m.line(4, "- action: Ignore")
	m.line(6, "onExitCodes: {containerName: run, operator: In, values: [%d, 143]}", fault.Requeue)
	m.line(4, "- action: Ignore")
	m.line(6, "onPodConditions:")
	m.line(6, "- {type: DisruptionTarget, status: \"True\"}")
	m.line(4, "- action: FailIndex")
	m.line(6, "onExitCodes: {containerName: run, operator: In, values: [2, 3, 4]}")
	m.line(2, "template:")
	m.line(4, "metadata:")
	m.line(6, "labels: {app.kubernetes.io/name: attnconv}")
	m.line(4, "spec:")
	m.line(6, "restartPolicy: Never")
	m.limit(6, j)
	m.pod(6, j, nobody)
	m.arguments(8, j)
	m.size(8, j.Cores, j.Memory)
	m.line(8, "securityContext:")
	m.line(10, "allowPrivilegeEscalation: false")
	m.line(10, "readOnlyRootFilesystem: true")
	m.line(10, "capabilities: {drop: [ALL]}")
	m.volume(6, j)
}

// nobody is the user of the Containerfile's last stage.
const nobody = 65532

// limit writes when Kubernetes ends a pod, and how long before it is told.
func (m *manifest) limit(at int, j Job) {
	m.line(at, "activeDeadlineSeconds: %d", seconds(j.Time))
	m.line(at, "terminationGracePeriodSeconds: %d", seconds(Notice(j.Time)))
}

// pod writes the specification of a pod up to its only container's folder.
func (m *manifest) pod(at int, j Job, user int) {
	m.line(at, "automountServiceAccountToken: false")
	m.line(at, "enableServiceLinks: false")
	m.line(at, "securityContext:")
	m.line(at+2, "runAsNonRoot: true")
	m.line(at+2, "runAsUser: %d", user)
	m.line(at+2, "runAsGroup: %d", user)
	m.line(at+2, "fsGroup: %d", user)
	m.line(at+2, "seccompProfile: {type: RuntimeDefault}")
	m.line(at, "containers:")
	m.line(at, "- name: run")
	m.line(at+2, "image: %s", text(j.Image))
	m.line(at+2, "workingDir: %s", text(j.Dir))
}

// arguments writes those of the program.
func (m *manifest) arguments(at int, j Job) {
	m.line(at, "args:")
	for _, arg := range j.Command[1:] { // the container's command is the program
		m.line(at, "- %s", text(strings.ReplaceAll(arg, "$", "$$"))) // Kubernetes expands $(NAME)
	}
}

// size writes what a container asks for, and gets at most.
func (m *manifest) size(at, cores int, memory int64) {
	m.line(at, "resources:")
	size := fmt.Sprintf("{cpu: \"%d\", memory: %dMi}", cores, mebibytes(memory))
	m.line(at+2, "requests: %s", size)
	m.line(at+2, "limits: %s", size)
}

// volume writes the claim, and where the pod's container has it.
func (m *manifest) volume(at int, j Job) {
	m.line(at+2, "volumeMounts:")
	m.line(at+2, "- {name: work, mountPath: %s}", text(j.Dir))
	m.line(at, "volumes:")
	m.line(at, "- name: work")
	m.line(at+2, "persistentVolumeClaim: {claimName: %s}", text(j.Claim))
}

// text returns s as a JSON string, which is also one of YAML.
func text(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(s) // of a string: never fails
	return strings.TrimSpace(b.String())
}
