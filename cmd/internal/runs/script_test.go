package runs_test

import (
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/clitest"
	"github.com/attnconv/attnconv/cmd/internal/config"
	"github.com/attnconv/attnconv/cmd/internal/eval"
	"github.com/attnconv/attnconv/cmd/internal/runs"
	"github.com/attnconv/attnconv/cmd/internal/train"
)

func TestMain(m *testing.M) {
	clitest.Main(m, clitest.Of(config.New, eval.New, runs.New, train.New), config.Documents, eval.Documents,
		runs.Documents, train.Documents)
}

func TestScripts(t *testing.T) { clitest.Scripts(t) }
