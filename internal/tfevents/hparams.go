package tfevents

import (
	"strconv"
	"time"
)

// A Setting is a hyperparameter. TensorBoard gets its text as a number or a boolean if it parses as one, else as a
// string.
type Setting struct{ Key, Text string }

// Settings writes the hyperparameters of the run for the tab HPARAMS (tensorboard/plugins/hparams/plugin_data.proto).
func (w *Writer) Settings(now time.Time, list []Setting) error {
	var info message // SessionStartInfo
	for _, s := range list {
		info = info.message(1, message(nil).text(1, s.Key).message(2, value(s.Text))) // map<string, Value> hparams
	}
	info = info.double(5, float64(now.UnixMicro())/1e6) // start_time_secs
	w.plugin(now, "_hparams_/session_start_info", message(nil).message(3, info))
	return w.err
}

// Ended writes the end of the run.
func (w *Writer) Ended(now time.Time, success bool) error {
	status := int64(2) // STATUS_FAILURE
	if success {
		status = 1 // STATUS_SUCCESS
	}
	info := message(nil).int(1, status).double(2, float64(now.UnixMicro())/1e6) // SessionEndInfo
	w.plugin(now, "_hparams_/session_end_info", message(nil).message(4, info))
	return w.err
}

// value encodes text as a google.protobuf.Value.
func value(text string) message {
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		return message(nil).double(2, x)
	}
	if text == "true" {
		return message(nil).int(4, 1)
	}
	if text == "false" {
		return message(nil).int(4, 0)
	}
	return message(nil).text(3, text)
}

// plugin writes a Summary.Value for the plugin hparams, which reads data from the metadata and ignores the tensor.
func (w *Writer) plugin(now time.Time, tag string, data message) {
	// plugin_data: plugin_name, content
	meta := message(nil).message(1, message(nil).text(1, "hparams").message(2, data))
	shape := message(nil).message(2, message(nil).int(1, 1))                       // one dimension of size 1
	tensor := message(nil).int(1, 1).message(2, shape).text(5, "\x00\x00\x00\x00") // DT_FLOAT, [0]
	v := message(nil).text(1, tag).message(8, tensor).message(9, meta)
	w.event(now, 0, message(nil).message(5, message(nil).message(1, v)))
}
