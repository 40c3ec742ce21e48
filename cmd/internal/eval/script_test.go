package eval_test

import (
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/clitest"
	"github.com/attnconv/attnconv/cmd/internal/eval"
	"github.com/attnconv/attnconv/cmd/internal/train"
)

func TestMain(m *testing.M) {
	clitest.Main(m, clitest.Of(eval.New, train.New), eval.Documents, train.Documents)
}

func TestScripts(t *testing.T) { clitest.Scripts(t) }
