package conv

import (
	"testing"

	"github.com/attnconv/attnconv/nn"
)

// By hand: the paper's ResNet18 does 0.5554 G, its widest product 9·64 numbers for each of 1024 pixels; the twin of its
// attention network 2.842 G with the dense maps folded away.
func TestWork(t *testing.T) {
	net := NewResNet(nn.NewScope(0), ResNetOptions{
		Rows: 32, Cols: 32, Channels: 3, Width: 64, Depths: [4]int{2, 2, 2, 2}, Classes: 10,
	})
	if work, err := net.Work(true); err != nil || work.MACs() != 555_422_720 || work.Product != [3]int{1024, 576, 64} {
		t.Errorf("ResNet18: %+v, %v", work, err)
	}
	twin := NewTwin(nn.NewScope(0), TwinOptions{
		Rows: 32, Cols: 32, Channels: 3, Pool: 2, Sizes: []int{3, 3, 3, 3, 3, 3}, Dim: 400, FFN: 512, Classes: 10,
	})
	if work, err := twin.Work(true); err != nil || work.MACs() != 2_842_218_400 || work.Product != [3]int{256, 3600, 400} {
		t.Errorf("twin: %+v, %v", work, err)
	}
}
