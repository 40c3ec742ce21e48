package sets

import (
	"strings"

	"github.com/attnconv/attnconv/data"
)

// Fashion-MNIST, as its makers distribute it: four IDX files, packed by gzip.
// Source: Xiao, Rasul, Vollgraf 2017 (arXiv:1708.07747), https://github.com/zalandoresearch/fashion-mnist.

// The digests are those of the files in Debian's package dataset-fashion-mnist 0.0~git20200523.55506a9-1. They are the
// published ones except for gzip's headers, of which Debian takes out the names of the files and the dates: with the
// names, and the dates 2017-08-31 10:50:06 (train) and 10:50:27 UTC (t10k), they have the sizes and the MD5 that the
// makers' read-me gives, and the SHA-256 in fashionFiles.
var fashionKind = Kind{
	Name: "fashion-mnist", Help: "Fashion-MNIST: 60,000 + 10,000 gray images of 10 kinds of clothes, 28 × 28",
	Classes: strings.Fields("t-shirt trouser pullover dress coat sandal shirt sneaker bag ankle_boot"),
	Train:   60000, Test: 10000, ValSize: 5000,
	Digest: data.Digests{
		Train: "6d226526ff970f03ea8725a39e125b1ab590f498a25f501e69a46359e7478773",
		Test:  "c1f40a40017890ce0b14203aa6b8340d8bead8df69f0a9baba26c47b226338ba",
	},
	idx: &idxSet{format: data.FormatOf(28, 28, 1), folder: "datasets/fashion-mnist", files: fashionFiles},
}

// fashionFrom is where the files are.
const fashionFrom = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"

// fashionFiles are the files as they were published.
var fashionFiles = []Download{
	{fashionFrom, "train-images-idx3-ubyte.gz", 26421880,
		"3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84"},
	{fashionFrom, "train-labels-idx1-ubyte.gz", 29515,
		"a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845"},
	{fashionFrom, "t10k-images-idx3-ubyte.gz", 4422102,
		"346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073"},
	{fashionFrom, "t10k-labels-idx1-ubyte.gz", 5148,
		"67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5"},
}
