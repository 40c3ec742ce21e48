package sweep_test

import (
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/clitest"
	"github.com/attnconv/attnconv/cmd/internal/sweep"
	"github.com/attnconv/attnconv/cmd/internal/train"
)

func TestMain(m *testing.M) {
	clitest.Main(m, clitest.Of(sweep.New, train.New), sweep.Documents, train.Documents)
}

func TestScripts(t *testing.T) { clitest.Scripts(t) }
