package explorer

import (
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/analyse/network"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/session/trained"
)

// byShift returns p̄_h(δ) of every layer from its definition: for each shift, the mean over images and over the queries
// that have the shifted token.
func byShift(t *testing.T, m *trained.Model, images [][]float32) (layers [][]map[[2]int]float64) {
	t.Helper()
	r, err := heads.NewReader(m.Net)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	count := map[[2]int]float64{}
	for i, image := range images {
		scores, err := r.Of(image)
		if err != nil {
			t.Fatal(err)
		}
		for l, s := range scores {
			if s.Heads == 0 {
				layers = append(layers, nil)
				continue
			}
			p := s.Weights()
			for h := range s.Heads {
				if i == 0 && h == 0 {
					layers = append(layers, make([]map[[2]int]float64, s.Heads))
				}
				if i == 0 {
					layers[l][h] = map[[2]int]float64{}
				}
				for q := range s.Tokens {
					for k := range s.Tokens {
						c := r.Grid.Cols
						shift := [2]int{k/c - q/c, k%c - q%c}
						layers[l][h][shift] += float64(p[(h*s.Tokens+q)*s.Tokens+k])
						if l == 0 && h == 0 {
							count[shift]++
						}
					}
				}
			}
		}
	}
	for _, l := range layers {
		for _, h := range l {
			for shift := range h {
				h[shift] /= count[shift]
			}
		}
	}
	return layers
}

// sampleOf returns the images of a run that the server has.
func sampleOf(t *testing.T, name string) (d Sample) {
	t.Helper()
	read(t, "/api/v1/runs/"+name+"/images", &d)
	return d
}

// The mean attention by shift of each head is that of its definition, on the images of the page where it depends on
// them; and its center, radius, tap and shares are those of analyse.
func TestMeans(t *testing.T) {
	set := sets.Shapes()
	for _, name := range []string{"quadratic", "general", "learned", "relative", "content"} {
		var doc Document
		read(t, "/api/v1/runs/"+name, &doc)
		last := doc.Kept[len(doc.Kept)-1]
		var got Means
		read(t, fmt.Sprintf("/api/v1/runs/%s/means/%d", name, last), &got)
		m := open(t, name, "checkpoints", fmt.Sprintf("epoch-%03d.ckpt", last))
		images, want := [][]float32{nil}, 0
		if name == "relative" || name == "content" {
			images = nil
			for _, im := range sampleOf(t, name).Images {
				images = append(images, values(m, set.Test, im.Index))
			}
			want = len(images)
		}
		if got.Images != want || got.Epoch != last {
			t.Errorf("%s: of %d images after epoch %d, want %d and %d", name, got.Images, got.Epoch, want, last)
		}
		for l, of := range byShift(t, m, images) {
			for h, p := range of {
				head := got.Layers[l].Heads[h]
				for i, b := range head.Near {
					shift := [2]int{i/11 - 5, i%11 - 5}
					root := math.Sqrt(head.Most) * float64(b) / 255
					if off := math.Abs(root - math.Sqrt(p[shift])); off > math.Sqrt(head.Most)/255+1e-6 {
						t.Fatalf("%s, layer %d, head %d, shift %v: %v, want %v", name, l+1, h+1, shift, root*root,
							p[shift])
					}
				}
				if math.Abs(head.Weight-p[head.Tap]) > 1e-6 {
					t.Errorf("%s, layer %d, head %d: weight %v at %v, want %v", name, l+1, h+1, head.Weight, head.Tap,
						p[head.Tap])
				}
			}
		}
		if want > 0 {
			continue // analyse averages over other images
		}
		subject, err := m.Measurable(nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		o := network.Usual()
		o.Images, o.Seeds, o.Draws = 0, 0, 0
		analysis, err := network.Measure(t.Context(), subject, o)
		if err != nil {
			t.Fatal(err)
		}
		for l, layer := range analysis.Layers {
			got := got.Layers[l]
			if s := layer.Shares; math.Abs(got.Within3-s.K1-s.K3) > 1e-12 || math.Abs(got.Place-s.Place) > 1e-12 {
				t.Errorf("%s, layer %d: %+v, analyse gives %+v", name, l+1, got.Share, *s)
			}
			for h, head := range layer.Heads {
				if g := got.Heads[h]; g.Center != head.Center || g.Half != head.Half {
					t.Errorf("%s, layer %d, head %d: %v, %v, analyse gives %v, %v", name, l+1, h+1, g.Center, g.Half,
						head.Center, head.Half)
				}
			}
		}
	}
}

// Without snapshots, the best checkpoint is the only epoch after the start; a network without attention has no means.
func TestMeansOfTheCheckpointAtHand(t *testing.T) {
	var doc Document
	read(t, "/api/v1/runs/no-snapshots", &doc)
	if len(doc.Kept) != 1 || len(doc.Snapshots) != 0 || doc.Kept[0] == 0 {
		t.Fatalf("kept %v, snapshots %v", doc.Kept, doc.Snapshots)
	}
	var best, start Means
	read(t, fmt.Sprintf("/api/v1/runs/no-snapshots/means/%d", doc.Kept[0]), &best)
	read(t, "/api/v1/runs/no-snapshots/means/0", &start)
	if len(best.Layers) != 2 || len(start.Layers) != 2 || best.Layers[0].Heads[0].Half == 0 {
		t.Errorf("%+v, %+v", best, start)
	}
	if w := ask(http.MethodGet, "/api/v1/runs/resnet/means/1", nil); w.Code != http.StatusNotFound {
		t.Errorf("of a network without attention: status %d, %s", w.Code, w.Body)
	}
}

// Heads of a network in which only some are Gaussian are shown as those of any other network; those of a network whose
// other blocks do not attend, as Gaussians.
func TestMixedNetworks(t *testing.T) {
	for name, want := range map[string]struct {
		heads    []int
		gaussian bool
	}{"some-gaussian": {[]int{2, 3}, false}, "after-convolution": {[]int{0, 3}, true}} {
		var doc Document
		read(t, "/api/v1/runs/"+name, &doc)
		if fmt.Sprint(doc.Run.Heads) != fmt.Sprint(want.heads) || len(doc.Heads) > 0 != want.gaussian {
			t.Errorf("%s: heads %v, %d epochs of Gaussians", name, doc.Run.Heads, len(doc.Heads))
		}
		var means Means
		read(t, "/api/v1/runs/"+name+"/means/1", &means)
		if n := len(doc.Run.Heads) - strings.Count(fmt.Sprint(want.heads), "0"); len(means.Layers) != n {
			t.Errorf("%s: %d layers, want %d", name, len(means.Layers), n)
		}
		if !want.gaussian {
			continue
		}
		for _, f := range doc.Heads {
			if len(f.Layers) != 1 || len(f.Layers[0]) != 3 {
				t.Errorf("%s, epoch %d: %v", name, f.Epoch, f.Layers)
			}
		}
		var epoch Epoch
		read(t, "/api/v1/runs/"+name+"/epochs/1", &epoch)
		if len(epoch.Frame.Layers) != 1 || len(epoch.Grams) != 1 || epoch.Shares[0] != means.Layers[0].Share {
			t.Errorf("%s: %+v, %+v", name, epoch, means.Layers[0].Share)
		}
	}
}

// An exported page has what the server answers: means and the attention on its images, once if it is the same for all.
func TestExportHasMeansAndMaps(t *testing.T) {
	for name, want := range map[string]struct {
		parts []string
		each  bool // by image
	}{
		"learned":  {[]string{"weights", "scores", "position"}, false},
		"content":  {[]string{"weights", "scores", "content", "position"}, true},
		"relative": {[]string{"weights", "scores", "content"}, true},
	} {
		inside := between(t, exported(t, name), `<script type="application/json" id="data">`, "</script>")
		d := onlyRun(t, inside)
		for _, epoch := range []int{0, 1} {
			var served Means
			read(t, fmt.Sprintf("/api/v1/runs/%s/means/%d", name, epoch), &served)
			if got, _ := json.Marshal(d.Means[epoch]); len(d.Means) != 2 || string(got) != marshaled(served) {
				t.Errorf("%s, epoch %d of %d: %s", name, epoch, len(d.Means), got)
			}
		}
		keys := []string{"*"}
		if want.each {
			keys = nil
			for _, im := range d.Images.Images {
				keys = append(keys, strconv.Itoa(im.Index))
			}
		}
		if n := len(keys) * len(want.parts); len(d.Attention) < n {
			t.Errorf("%s: %d maps, want %d", name, len(d.Attention), n)
		}
		for _, key := range keys {
			for _, part := range want.parts {
				image := strings.Replace(key, "*", "0", 1)
				served := get(t, fmt.Sprintf("/api/v1/runs/%s/attention/%s?part=%s", name, image, part))
				got := d.Attention[key+"|"+part]
				if string(got.Head)+"\n"+unzipped(t, got.Bytes) != string(served) {
					t.Errorf("%s: image %s, part %s differs from the server's", name, key, part)
				}
			}
		}
	}
}

func marshaled(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

func unzipped(t *testing.T, text string) string {
	t.Helper()
	r, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text)))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Of many epochs an exported page has some, with the last one.
func TestThinned(t *testing.T) {
	for _, tt := range [][2]int{{0, 0}, {1, 1}, {40, 40}, {41, 21}, {300, 38}} {
		got := thinned(indices(tt[0]), 40)
		if len(got) != tt[1] || len(got) > 0 && got[len(got)-1] != tt[0]-1 {
			t.Errorf("%d epochs: %v", tt[0], got)
		}
	}
}
