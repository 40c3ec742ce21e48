package compare_test

import (
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/clitest"
	"github.com/attnconv/attnconv/cmd/internal/compare"
	"github.com/attnconv/attnconv/cmd/internal/train"
)

func TestMain(m *testing.M) {
	clitest.Main(m, clitest.Of(compare.New, train.New), compare.Documents, train.Documents)
}

func TestScripts(t *testing.T) { clitest.Scripts(t) }
