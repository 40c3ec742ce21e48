package engine

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/attnconv/attnconv/internal/invalid"
)

// kubernetes: an Indexed Job of batch/v1, as of 1.33, which made retries per index stable. The claim is mounted at the
// folder where the command runs, so that paths in the container are those of the machine that submits.
var kubernetes = Engine{
	Name: "kubernetes", Title: "Kubernetes", Program: "kubectl", Suffix: ".yaml", Usual: 100_000, Limit: "the limit of completions",
	Takes: []string{"at-most", "queue", "image", "claim"}, Needs: []string{"image", "claim"},
	Refuses: func(j Job) error {
		if strings.Contains(j.Dir, ":") {
			return invalid.Errorf("folder", "%q: a volume cannot be mounted where the path has a colon", j.Dir)
		}
		for _, text := range append([]string{j.Dir, j.Logs}, j.Command...) {
			if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
				return invalid.Errorf("command", "%q: want UTF-8 without control characters in a manifest", text)
			}
		}
		return nil
	},
	Render: renderKubernetes,
	Submit: func(file string) []string { return []string{"create", "-f", file, "-o", "name"} },
	ID:     func(printed string) string { return strings.TrimPrefix(printed, "job.batch/") },
	Watch:  func(id string) string { return "kubectl get job " + id },
}

// renderKubernetes writes every text as a JSON string, which is YAML, too. A pod that ends with ExitRequeue, or is told
// to end (SIGTERM), is replaced and not counted as a failure; wrong settings, missing and corrupt files (exit codes 2,
// 3 and 4) are not tried again.
func renderKubernetes(j Job) []byte {
	var b strings.Builder
	line := func(indent int, format string, args ...any) {
		fmt.Fprintf(&b, "%*s"+format+"\n", append([]any{indent, ""}, args...)...)
	}
	line(0, "# %s", j.About)
	line(0, "apiVersion: batch/v1")
	line(0, "kind: Job")
	line(0, "metadata:")
	line(2, "name: %s", text(j.Name))
	line(2, "labels:")
	line(4, "app.kubernetes.io/name: attnconv")
	if j.Queue != "" {
		line(4, "kueue.x-k8s.io/queue-name: %s", text(j.Queue))
	}
	line(0, "spec:")
	line(2, "completionMode: Indexed")
	line(2, "completions: %d", j.Tasks)
	parallel := j.Tasks
	if j.AtMost > 0 {
		parallel = min(parallel, j.AtMost)
	}
	line(2, "parallelism: %d", parallel)
	line(2, "backoffLimitPerIndex: %d", retries)
	line(2, "podFailurePolicy:")
	line(4, "rules:")
	line(4, "- action: Ignore")
	line(6, "onExitCodes: {containerName: run, operator: In, values: [%d, 143]}", ExitRequeue)
	line(4, "- action: Ignore")
	line(6, "onPodConditions:")
	line(6, "- {type: DisruptionTarget, status: \"True\"}")
	line(4, "- action: FailIndex")
	line(6, "onExitCodes: {containerName: run, operator: In, values: [2, 3, 4]}")
	line(2, "template:")
	line(4, "metadata:")
	line(6, "labels: {app.kubernetes.io/name: attnconv}")
	line(4, "spec:")
	j.pod(line)
	return []byte(b.String())
}

// pod writes the specification of a task.
func (j Job) pod(line func(indent int, format string, args ...any)) {
	line(6, "restartPolicy: Never")
	line(6, "activeDeadlineSeconds: %d", seconds(j.Time))
	line(6, "terminationGracePeriodSeconds: %d", seconds(Notice(j.Time)))
	line(6, "automountServiceAccountToken: false")
	line(6, "enableServiceLinks: false")
	line(6, "securityContext:")
	line(8, "runAsNonRoot: true")
	line(8, "runAsUser: %d", nobody)
	line(8, "runAsGroup: %d", nobody)
	line(8, "fsGroup: %d", nobody)
	line(8, "seccompProfile: {type: RuntimeDefault}")
	line(6, "containers:")
	line(6, "- name: run")
	line(8, "image: %s", text(j.Image))
	line(8, "workingDir: %s", text(j.Dir))
	line(8, "args:")
	for _, arg := range j.Command[1:] { // the image's entry point is the program
		line(8, "- %s", text(strings.ReplaceAll(arg, "$", "$$"))) // Kubernetes expands $(NAME)
	}
	line(8, "resources:")
	size := fmt.Sprintf("{cpu: \"%d\", memory: %dMi}", j.Cores, mebibytes(j.Memory))
	line(10, "requests: %s", size)
	line(10, "limits: %s", size)
	line(8, "securityContext:")
	line(10, "allowPrivilegeEscalation: false")
	line(10, "readOnlyRootFilesystem: true")
	line(10, "capabilities: {drop: [ALL]}")
	line(8, "volumeMounts:")
	line(8, "- {name: work, mountPath: %s}", text(j.Dir))
	line(6, "volumes:")
	line(6, "- name: work")
	line(8, "persistentVolumeClaim: {claimName: %s}", text(j.Claim))
}

// nobody is the user of the Containerfile.
const nobody = 65532

// text returns s as a JSON string, which is one of YAML, too.
func text(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(s) // of a string: never fails
	return strings.TrimSpace(b.String())
}
