package conv

import (
	"testing"

	"github.com/attnconv/attnconv/nn"
)

// By hand: the paper's ResNet18 does 0.5554 G, its widest product 9·64 numbers for each of 1024 pixels.
func TestWork(t *testing.T) {
	net := NewResNet(nn.NewScope(0), ResNetOptions{
		Rows: 32, Cols: 32, Channels: 3, Width: 64, Depths: [4]int{2, 2, 2, 2}, Classes: 10,
	})
	if work, err := net.Work(true); err != nil || work.MACs() != 555_422_720 || work.Product != [3]int{1024, 576, 64} {
		t.Errorf("ResNet18: %+v, %v", work, err)
	}
}
