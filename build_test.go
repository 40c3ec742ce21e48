package attnconv

import (
	"testing"
)

func TestShortVersion(t *testing.T) {
	commit, yes, no := "8763926f2f6e0000", true, false
	for want, b := range map[string]Build{
		"v1.2.0":        {Version: "v1.2.0", Commit: &commit, Dirty: &no},
		"v1.2.0+dirty":  {Version: "v1.2.0+dirty", Commit: &commit, Dirty: &yes},
		"8763926":       {Version: "v0.0.0-20261122074513-8763926f2f6e"},
		"8763926+dirty": {Version: "v0.0.0-20261122074513-8763926f2f6e+dirty", Commit: &commit, Dirty: &yes},
		"1234567":       {Version: "v1.2.1-0.20261122074513-1234567f2f6e"},
		"devel":         {Version: "(devel)"},
		"v1.3.0-rc.1":   {Version: "v1.3.0-rc.1"},
	} {
		if got := b.Short(); got != want {
			t.Errorf("%s is %s, want %s", b.Version, got, want)
		}
	}
	for want, dirty := range map[string]*bool{"8763926": nil, "8763926+dirty": &yes} {
		if got := (Build{Version: "(devel)", Commit: &commit, Dirty: dirty}).Short(); got != want {
			t.Errorf("without a version it is %s, want %s", got, want)
		}
	}
}
