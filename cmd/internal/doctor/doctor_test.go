package doctor

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel"
)

func TestDoctorFinds(t *testing.T) {
	broken, corrupt := filepath.Join(t.TempDir(), "runs"), t.TempDir()
	if err := os.MkdirAll(filepath.Join(broken, "20261120-100000-x-k3f9"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{filepath.Join(broken, "20261120-100000-x-k3f9", "run.json"),
		filepath.Join(corrupt, "cifar-10-binary.tar.gz")} {
		if err := os.WriteFile(file, []byte("{"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name   string
		check  string
		o      Options
		status Status
		says   string
	}{
		{"new folder of runs", "runs", Options{Runs: filepath.Join(t.TempDir(), "a")}, Pass, "0 runs"},
		{"unreadable run", "runs", Options{Runs: broken}, Warn, "1 of them unreadable"},
		{"no data", "data", Options{Data: t.TempDir()}, Warn, "cifar10 is not in"},
		{"corrupt archive", "data", Options{Data: corrupt}, Fail, "cifar-10-binary.tar.gz"},
		{"disk of a folder to come", "disk", Options{Runs: filepath.Join(t.TempDir(), "a", "b")}, Pass, "free"},
	} {
		f := findings(t, tt.o)[tt.check]
		if f.Status != tt.status || !strings.Contains(f.Detail, tt.says) {
			t.Errorf("%s: %s %s; want %s … %s …", tt.name, f.Status, f.Detail, tt.status, tt.says)
		}
	}
}

// findings maps the names of quick checks to what they find.
func findings(t *testing.T, o Options) map[string]Finding {
	t.Helper()
	quick := slices.DeleteFunc(Checks(), func(c Check) bool { return c.Name == "speed" })
	all := map[string]Finding{}
	for f := range Run(t.Context(), o, quick) {
		all[f.Name] = f
	}
	return all
}

// What is not named is not checked, and what does not apply is not found.
func TestDoctorLeavesOut(t *testing.T) {
	all := findings(t, Options{Device: "cpu"})
	for _, name := range []string{"data", "runs", "disk", "resume", "parity"} {
		if f, ok := all[name]; ok {
			t.Errorf("%s: %+v", name, f)
		}
	}
	for _, name := range []string{"machine", "arithmetic", "gpu"} {
		if all[name].Status == "" || all[name].Status == Fail {
			t.Errorf("%s: %+v", name, all[name])
		}
	}
	if kernel.Name() != "generic" && all["machine"].Status != Pass {
		t.Errorf("%+v", all["machine"])
	}
}

// A done context ends the checks, and so does a reader that stops.
func TestDoctorStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for f := range Run(ctx, Options{}, Checks()) {
		t.Errorf("found %+v", f)
	}
	n := 0
	for range Run(t.Context(), Options{}, Checks()) {
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d findings", n)
	}
}
