// Command kubernetes decodes manifests strictly into the types of the Kubernetes API, batch/v1: an unknown or repeated
// field, and a value of another type, are errors. It is a module of its own: the program does not depend on k8s.io.
//
//	cd .ci/engines/kubernetes && go run . ../../../sweep/engine/testdata/kubernetes-*.yaml
package main

import (
	"fmt"
	"os"

	batch "k8s.io/api/batch/v1"
	"sigs.k8s.io/yaml"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: kubernetes FILE...")
		os.Exit(2)
	}
	for _, name := range os.Args[1:] {
		if err := check(name); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
			os.Exit(1)
		}
		fmt.Println(name, "is a batch/v1 Job")
	}
}

// check decodes a manifest, and compares what an engine would do with it to what was meant.
func check(name string) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var j batch.Job
	if err := yaml.UnmarshalStrict(b, &j); err != nil {
		return err
	}
	s, rules := j.Spec, 0
	if s.PodFailurePolicy != nil {
		rules = len(s.PodFailurePolicy.Rules)
	}
	pod := s.Template.Spec
	switch {
	case j.APIVersion != "batch/v1" || j.Kind != "Job" || j.Name == "":
		return fmt.Errorf("it is %s %s %q", j.APIVersion, j.Kind, j.Name)
	case s.CompletionMode == nil || *s.CompletionMode != batch.IndexedCompletion || *s.Completions != 3 || s.BackoffLimitPerIndex == nil:
		return fmt.Errorf("want an Indexed Job of 3 with a limit per index: %+v", s)
	case rules != 3 || s.PodFailurePolicy.Rules[0].OnExitCodes.Values[0] != 75:
		return fmt.Errorf("want three rules, the first for exit code 75: %+v", s.PodFailurePolicy)
	case len(pod.Containers) != 1 || len(pod.Containers[0].Args) == 0 || pod.RestartPolicy != "Never":
		return fmt.Errorf("want one container with arguments, never restarted: %+v", pod)
	case pod.SecurityContext == nil || !*pod.SecurityContext.RunAsNonRoot || pod.Containers[0].VolumeMounts[0].MountPath != pod.Containers[0].WorkingDir:
		return fmt.Errorf("want another user than root, in the volume: %+v", pod)
	case pod.Containers[0].Resources.Limits.Memory().Value() != 1025<<20 || pod.Containers[0].Resources.Limits.Cpu().Value() != 4:
		return fmt.Errorf("want 1025 MiB and 4 cores: %v", pod.Containers[0].Resources.Limits)
	}
	return nil
}
