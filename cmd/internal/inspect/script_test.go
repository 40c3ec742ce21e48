package inspect_test

import (
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/clitest"
	"github.com/attnconv/attnconv/cmd/internal/inspect"
	"github.com/attnconv/attnconv/cmd/internal/runs"
	"github.com/attnconv/attnconv/cmd/internal/train"
)

func TestMain(m *testing.M) {
	clitest.Main(m, clitest.Of(inspect.New, runs.New, train.New), inspect.Documents, runs.Documents, train.Documents)
}

func TestScripts(t *testing.T) { clitest.Scripts(t) }
