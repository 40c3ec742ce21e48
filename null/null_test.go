package null

import (
	"encoding/json"
	"math"
	"testing"
)

func TestFloat(t *testing.T) {
	type document struct {
		X Float `json:"x"`
		Y Float `json:"y"`
	}
	for _, tt := range []struct {
		d    document
		want string
	}{
		{document{0.1, 1e21}, `{"x":0.1,"y":1e+21}`}, {document{0, 0}, `{"x":0,"y":0}`},
		{document{Unknown, Unknown}, `{"x":null,"y":null}`}, {document{Float(math.Inf(-1)), 1}, `{"x":null,"y":1}`},
	} {
		b, err := json.Marshal(tt.d)
		if string(b) != tt.want || err != nil {
			t.Errorf("%+v is %s, %v; want %s", tt.d, b, err, tt.want)
		}
		var back document
		if err := json.Unmarshal(b, &back); err != nil || tt.d.X.Known() != back.X.Known() || tt.d.X.Known() &&
			back.X != tt.d.X {
			t.Errorf("%s is read as %+v, %v", b, back, err)
		}
	}
	var f Float
	if err := json.Unmarshal([]byte(`"x"`), &f); err == nil {
		t.Error("a string is read as a number")
	}
}
