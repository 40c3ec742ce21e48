package explorer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/analyse/network"
	"github.com/attnconv/attnconv/analyse/vision"
	"github.com/attnconv/attnconv/session/trained"
)

// foreignServer serves a network of package vision's tests on five pictures.
func foreignServer(t *testing.T, name string, heads int) *Server {
	t.Helper()
	net, err := trained.OpenVision(filepath.Join("../../../analyse/vision/testdata", name), "", heads)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for i := range 5 {
		m := image.NewRGBA(image.Rect(0, 0, 24, 24))
		for at := range 24 * 24 {
			m.Set(at%24, at/24, color.RGBA{byte(at * (i + 3)), byte(at / 24 * 10), byte(50 * i), 255})
		}
		var b bytes.Buffer
		if err := png.Encode(&b, m); err != nil {
			t.Fatal(err)
		}
		put(folder, fmt.Sprintf("%d.png", i), b.String())
	}
	from, broken, err := trained.ReadPictures(net, 24, folder)
	if err != nil || broken != nil || from.Count != 5 {
		t.Fatal(from.Count, broken, err)
	}
	return New(Options{Foreign: &Foreign{Name: name, Ref: name + " pictures", Net: net, Pictures: from}})
}

func askForeign(s *Server, method, target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(method, "http://localhost:8910/api/v1/runs"+target, nil))
	return w
}

func readForeign(t *testing.T, s *Server, target string, to any) {
	t.Helper()
	if w := askForeign(s, http.MethodGet, target); w.Code != 200 || json.Unmarshal(w.Body.Bytes(), to) != nil {
		t.Fatalf("%s: status %d, %.200s", target, w.Code, w.Body)
	}
}

// The page learns that there is no training, and has the pictures by their names.
func TestForeignDocument(t *testing.T) {
	s := foreignServer(t, "timm_vit.pth", 3)
	var list List
	readForeign(t, s, "", &list)
	if len(list.Runs) != 1 || !list.Runs[0].Foreign {
		t.Fatalf("%+v", list)
	}
	var d Document
	readForeign(t, s, "/"+list.Runs[0].ID, &d)
	if !d.Run.Foreign || d.Run.Model != "ViT of timm" || !reflect.DeepEqual(d.Run.Heads, []int{3, 3}) ||
		d.Run.Grid != [2]int{4, 4} || d.Run.Note != "" || !reflect.DeepEqual(d.Kept, []int{0}) || len(d.Curve) > 0 {
		t.Errorf("%+v", d.Run)
	}
	var all Sample
	readForeign(t, s, "/weights/images", &all)
	if len(all.Images) != 5 || all.Images[3].Label != "3.png" || len(all.Images[3].RGB) != 16*16*3 {
		t.Errorf("%d pictures", len(all.Images))
	}
	s.o.Foreign.Net.Facts.Guessed = true
	if readForeign(t, s, "/weights", &d); !strings.Contains(d.Run.Note, "a guess") {
		t.Errorf("nobody says that the number of heads is a guess: %q", d.Run.Note)
	}
}

// Attention on the page is the network's, to a 255th of a head's range, and rows and what is elsewhere add up to 1.
func TestForeignAttention(t *testing.T) {
	for name, heads := range map[string]int{"timm_vit.pth": 3, "convit.pth": 0} {
		s := foreignServer(t, name, heads)
		w := askForeign(s, http.MethodGet, "/weights/attention/2?part=weights")
		line, values, _ := bytes.Cut(w.Body.Bytes(), []byte("\n"))
		var d Maps
		if err := json.Unmarshal(line, &d); err != nil || w.Code != 200 || !d.ByImage {
			t.Fatalf("%s: %d %v %.100s", name, w.Code, err, line)
		}
		f := s.o.Foreign
		one := vision.Images{Count: 1, At: func(int) []float32 { return f.Pictures.At(2) }}
		at := 0
		if _, err := f.Net.Run(t.Context(), one, func(layer, _ int, seen vision.Seen) error {
			l := d.Layers[layer]
			n, all := l.Tokens, l.Tokens+seen.Others
			if (l.Elsewhere == nil) != (seen.Others == 0) {
				t.Errorf("%s, layer %d: %d other tokens, and elsewhere is %v", name, layer+1, seen.Others, l.Elsewhere)
			}
			for row := range l.Heads * n {
				h, q := row/n, row%n
				of := seen.Attention[(h*all+seen.Others+q)*all:][:all]
				elsewhere := 0.0
				for k, v := range of {
					if k < seen.Others {
						elsewhere += float64(v)
						continue
					}
					is := l.Least[h] + float64(values[at])/255*(l.Most[h]-l.Least[h])
					if math.Abs(is-float64(v)) > (l.Most[h]-l.Least[h])/500 {
						t.Fatalf("%s, layer %d, head %d, from %d to %d: %g, want %g", name, layer+1, h+1, q, k, is, v)
					}
					at++
				}
				if l.Elsewhere != nil && math.Abs(float64(l.Elsewhere[row])/255-elsewhere) > 1.0/500 {
					t.Fatalf("%s, layer %d, head %d, from %d: %d/255 elsewhere, want %g", name, layer+1, h+1, q,
						l.Elsewhere[row],
						elsewhere)
				}
			}
			return nil
		}); err != nil || at != len(values) || len(d.Layers) != f.Net.Facts.Blocks {
			t.Errorf("%s: %v, %d of %d bytes, %d layers", name, err, at, len(values), len(d.Layers))
		}
	}
}

// Mean attention is that of the first four pictures.
func TestForeignMeans(t *testing.T) {
	s := foreignServer(t, "timm_vit.pth", 3)
	for range 2 { // measured, and remembered
		var d Means
		readForeign(t, s, "/weights/means/0", &d)
		images := s.o.Foreign.Pictures.Images
		images.Count = 4
		i := 0
		if err := network.EachVision(t.Context(), s.o.Foreign.Net, images, func(o *analyse.Operator) error {
			shares, err := o.Shares(0)
			if got := d.Layers[i]; math.Abs(got.Within3-shares.Within(3)) > 1e-12 || len(got.Heads) != 3 {
				t.Errorf("layer %d: %g of %d heads, want %g", i+1, got.Within3, len(got.Heads), shares.Within(3))
			}
			i++
			return err
		}); err != nil || d.Images != 4 || len(d.Layers) != i {
			t.Errorf("%v, %d images, %d layers", err, d.Images, len(d.Layers))
		}
	}
}

// The page measures what the command analyse does, and says what it is at.
func TestForeignAnalysis(t *testing.T) {
	s := foreignServer(t, "timm_vit.pth", 3)
	var none Measured
	if readForeign(t, s, "/weights/analysis", &none); none.Analysis != nil {
		t.Fatal("measured before anybody asked")
	}
	for _, extent := range extents {
		w := askForeign(s, http.MethodPost, "/weights/analysis?of="+extent)
		lines := strings.Split(strings.TrimSpace(w.Body.String()), "\n")
		if w.Code != 200 || len(lines) < 5 || !strings.Contains(w.Body.String(), `"stage":"untrained network 2 of 3"`) {
			t.Fatalf("%s: status %d, %.300s", extent, w.Code, w.Body)
		}
		var end progressLine
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &end); err != nil || end.Result == nil {
			t.Fatalf("%v: %.300s", err, lines[len(lines)-1])
		}
		f := s.o.Foreign
		want, err := network.Vision(t.Context(), network.Subject{Name: f.Name}, f.Net, f.Pictures.Images,
			network.Usual().ForVision(extent == "weights", false, false))
		if err != nil {
			t.Fatal(err)
		}
		var kept Measured
		readForeign(t, s, "/weights/analysis", &kept)
		for _, got := range []*network.Analysis{end.Result.Analysis, kept.Analysis} {
			if !reflect.DeepEqual(got.Verdict, want.Verdict) || got.Images.Attention != 5 {
				t.Errorf("%s: %q, want %q", extent, got.Verdict, want.Verdict)
			}
			for i, l := range got.Layers {
				is := want.Layers[i]
				if !reflect.DeepEqual(l.Shares, is.Shares) || l.Elsewhere.Value != is.Elsewhere.Value ||
					!reflect.DeepEqual(l.Answers, is.Answers) || (l.Answers != nil) != (extent == "all") {
					t.Errorf("%s, layer %d: %v %v %v, want %v %v %v", extent, i+1, l.Shares, l.Elsewhere, l.Answers,
						is.Shares,
						is.Elsewhere, is.Answers)
				}
			}
		}
	}
}

// What such a network does not have is refused with a reason, and so is who may not ask.
func TestForeignRefusals(t *testing.T) {
	s := foreignServer(t, "timm_vit.pth", 3)
	for target, want := range map[string]int{"/weights/epochs/0": 404, "/weights/untrained": 404,
		"/weights/weights": 404,
		"/weights/events":  404, "/weights/attention/5": 404, "/weights/attention/-1": 404, "/weights/attention/u0": 404,
		"/weights/attention/0?part=scores": 400} {
		if w := askForeign(s, http.MethodGet, target); w.Code != want || !strings.HasPrefix(w.Body.String(),
			`{"error":"`) {
			t.Errorf("%s: status %d, %s", target, w.Code, w.Body)
		}
	}
	for target, want := range map[string]int{"/weights/images": 404, "/weights/analysis?of=nothing": 400} {
		if w := askForeign(s, http.MethodPost, target); w.Code != want {
			t.Errorf("%s: status %d, %s", target, w.Code, w.Body)
		}
	}
	for _, host := range []string{"http://example.org", "http://10.0.0.1:8910"} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, host+"/api/v1/runs/weights", nil))
		if w.Code != http.StatusForbidden {
			t.Errorf("%s: status %d", host, w.Code)
		}
	}
	r := httptest.NewRequest(http.MethodPost, "http://localhost:8910/api/v1/runs/weights/analysis", nil)
	r.Header.Set("Origin", "http://example.org")
	w := httptest.NewRecorder()
	if s.ServeHTTP(w, r); w.Code != http.StatusForbidden {
		t.Errorf("another page has it measured: status %d", w.Code)
	}
}

// Attention in windows is not drawn, which the page says; its layers are measured.
func TestForeignWindows(t *testing.T) {
	s := foreignServer(t, "swin.pth", 0)
	var d Document
	readForeign(t, s, "/weights", &d)
	if d.Run.Layers != 0 || len(d.Run.Heads) != 0 || !strings.Contains(d.Run.Note, "windows") {
		t.Errorf("%+v", d.Run)
	}
	if w := askForeign(s, http.MethodGet, "/weights/attention/0"); w.Code != http.StatusNotFound {
		t.Errorf("status %d", w.Code)
	}
	if w := askForeign(s, http.MethodPost, "/weights/analysis?of=weights"); !strings.Contains(w.Body.String(),
		`"result":`) {
		t.Errorf("not measured: %.300s", w.Body)
	}
	if _, err := s.Export(t.Context(), ExportOptions{}); err == nil || !strings.Contains(err.Error(), "windows") {
		t.Errorf("exported: %v", err)
	}
}

// A page in one file has the attention on each picture that it shows, and nothing of training.
func TestForeignExport(t *testing.T) {
	b, err := foreignServer(t, "timm_vit.pth", 3).Export(t.Context(), ExportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	inside := between(t, string(b), `<script type="application/json" id="data">`, "</script>")
	if d := onlyRun(t, inside); len(d.Images.Images) != 5 || !d.Run.Run.Foreign {
		t.Errorf("%d pictures", len(d.Images.Images))
	}
	var d struct {
		Of map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(inside), &d); err != nil {
		t.Fatal(err)
	}
	var maps map[string]mixed
	if err := json.Unmarshal(d.Of["weights"]["attention"], &maps); err != nil || len(maps) != 5 ||
		maps["4|weights"].Head == nil {
		t.Errorf("%v, attention on %d pictures", err, len(maps))
	}
	if _, there := d.Of["weights"]["untrained"]; there || d.Of["weights"]["means"] == nil {
		t.Error("means and untrained networks")
	}
}
