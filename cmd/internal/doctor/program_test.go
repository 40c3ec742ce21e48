package doctor

import (
	"strings"
	"testing"
)

// The width and the colors of a terminal are told, and the version of the program.
func TestTerminal(t *testing.T) {
	for columns, want := range map[int]struct {
		status Status
		says   string
	}{0: {Pass, "no terminal"}, 60: {Warn, "60 columns"}, 80: {Pass, "80 columns, color"}} {
		status, detail := checkTerminal(t.Context(), Options{Terminal: &Terminal{columns, true}})
		if status != want.status || !strings.Contains(detail, want.says) {
			t.Errorf("%d columns: %s %s; want %s … %s …", columns, status, detail, want.status, want.says)
		}
	}
	if status, _ := checkTerminal(t.Context(), Options{}); status != "" {
		t.Errorf("without a terminal to check: %s", status)
	}
	if status, detail := checkProgram(t.Context(), Options{}); status != Pass ||
		!strings.HasPrefix(detail, "attnconv ") || !strings.Contains(detail, ", go1") {
		t.Errorf("program: %s %s", status, detail)
	}
}
