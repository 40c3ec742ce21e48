package main

// pages are those whose commands are run, in this order.
var pages = []string{
	"README.md", "docs/README.md", "docs/tutorial.md", "docs/tutorial-pytorch.md", "docs/python.md",
	"docs/lesson.md",
}

// shares are what analyse says of weights: shares, their baseline, a verdict.
var shares = []string{`^layer +≤3×3 +at init `, `^One 3 × 3 convolution is `}

// promises maps each command of these pages to what they say that it prints.
var promises = map[string]promise{
	"attnconv demo": {says: []string{
		`^test acc +[0-9.]+ %`, `^acc [0-9.]+ %`, // trains, tests,
		`^wrote +demo/heads\.png$`, `^PASS  Attention with α ≥ 46`, // draws and proves
	}},

	"go install ./cmd/attnconv": {},
	"attnconv runs examples": {says: []string{
		`^c10q +mhsa quadratic +cifar10 `, `^c10r +resnet18 +cifar10 `, // five trained networks
		`^quad +mhsa quadratic +shapes32 `, `^lrnd +mhsa learned +shapes32 `, `^rn18 +resnet18 +shapes32 `,
	}},
	"attnconv serve quad --open": {endless: true, full: []string{`^page +http://localhost:\d+/$`}},
	"attnconv serve c10q --open": {endless: true, full: []string{`^page +http://localhost:\d+/$`}},

	"attnconv analyse vit.pth ~/Pictures": {before: vision, says: []string{
		`^layer +≤3×3 +at init +place`, // of each layer, next to untrained networks
		`content +percent of the squared norm, .* that depends on the`,
	}},
	"attnconv analyse --bridge > bridge.py": {},

	"source <(attnconv completion bash)": {},
	"attnconv data get cifar10": {before: origin, code: 4, says: []string{ // the published archive is not at hand
		`^cifar-10-binary\.tar\.gz, 170\.1 MB`, // 170 MB,
		`the connection ended after `,          // resumable,
		`want a file with SHA-256 c4a38c50`,    // SHA-256 checked
	}},
	"attnconv data import cifar-10-python.tar.gz": {before: archive, says: []string{
		`^recognized +CIFAR-10 python archive`, `50,000 \+ 10,000 of 10 classes`,
	}},

	"attnconv train --encoding quadratic": {full: []string{
		`^time +about .* here +about .*: --data shapes32`, // how long it takes here, and what is faster
	}, says: []string{
		`^data +cifar10  45,000 train / 5,000 val / 10,000 test`,
		`^note +preset small/quadratic`, // preset small,
	}},
	"attnconv train --model resnet18": {says: []string{`^model +resnet18, `, `^wrote +`}},
	"attnconv compare --baseline resnet18": {says: []string{
		`^resnet18 \(baseline\) +1 `, `^quadratic +1 `, // side by side
	}},
	"attnconv plot-heads run.ckpt": {says: []string{
		`^taking run .* \(quadratic, cifar10\)`, `^wrote +runs/.*/figures/heads\.svg$`,
	}},
	"attnconv train --preset fast/convnet --dry-run": {says: []string{
		`^model +convnet, width 64`, `about .* here`,
	}},
	"attnconv train --preset paper/quadratic --dry-run": {says: []string{
		`6 × quadratic of 9 heads, dim 400`, // the paper's own setting,
		`about .* here`,                     // and how long it would take here
	}},
	"attnconv train --layers '[{kind: conv, repeat: 2}, {repeat: 4}]' --dry-run": {says: []string{
		`2 × convolution 3 × 3, 4 × quadratic of 9 heads`,
	}},
	"attnconv train --resume": {before: interrupted, says: []string{`^wrote +runs/killed/run\.ckpt$`}},

	"attnconv plot-heads latest": {says: []string{
		`^wrote +runs/.*/figures/heads.*\.svg$`,
	}},
	"attnconv plot-maps latest cat.jpg": {before: cat, says: []string{`figures/.*maps.*\.svg$`}},
	// on a page in the browser
	"attnconv serve": {endless: true, full: []string{`^page +http://localhost:\d+/$`}},
	"attnconv plot-curves quadratic resnet18": {says: []string{
		`^quadratic +[0-9]+ `, `^resnet18 +[0-9]+ `, `^wrote +runs/curves\.svg$`,
	}},
	"attnconv eval latest --shift 2,0 --calibrate": {says: []string{
		`shifted by 2 right, 0 down$`, `^ +airplane +1000 `, // class by class, on shifted images,
		`^temperature `, `ECE`, // calibration
	}},
	"attnconv analyse quadratic --no-images": {says: []string{
		`^layer +≤3×3 +at init `, `^One 3 × 3 convolution is `, // shares, their baseline, a verdict
	}},
	"attnconv inspect quadratic": {says: []string{
		`params +MAC`, `sees`, `at the start`, // layers, cost, reach, heads and what they were before training
	}},
	"attnconv export latest -o weights.safetensors": {says: []string{`^wrote +weights\.safetensors `}},

	"attnconv analyse quad --no-images": {says: shares},
	"attnconv analyse c10q --no-images": {says: shares},
	"attnconv prove --from c10r": {says: []string{
		`^PASS  20 of 20 convolutions are attention .* of (shapes32|cifar10)\.$`,
	}},
	"attnconv prove": {inexact: true, says: []string{`^PASS  Attention with α ≥ 46 `, `^ +46 .*█`}},

	"attnconv prove --all": {says: []string{`as recorded: holds$`, `^ +If: `, `as recorded: false`,
		`^79 of 79 claims as recorded`}},
	"attnconv prove --exercise": {says: []string{`^convolution   y\[q\] = `, `^α = 1$`}},
	"attnconv prove --from resnet18": {says: []string{
		`^PASS  20 of 20 convolutions are attention .* of cifar10\.$`, // on real images
	}},

	"attnconv doctor":  {says: []string{`^PASS +runs `}},
	"attnconv runs ls": {says: []string{`^quad +example-quadratic `}},
	"attnconv plot-heads quad": {says: []string{
		`^wrote +runs/.*/figures/heads.*\.svg$`, `^In one run, 3 of 27 heads look at one token`,
	}},
	"attnconv predict lrnd runs/example-images": {says: []string{`^runs/example-images/star\.png +star `}},
	"attnconv inspect quad": {says: []string{
		`params +MAC`, `sees`, `at the start`, // layers, cost, reach, heads and what they were before training
	}},
	"attnconv train --data shapes32 --encoding quadratic --epochs 4 --keep 10 --name first": {
		says: []string{`^wrote +runs/.*-first-.*/run\.ckpt$`},
	},
	"attnconv analyse runs/*-first-* --over epochs -o first.png": {inexact: true, says: []string{
		`^ +epoch +1 +2 +3$`, `^wrote +first\.png$`,
	}},
	"attnconv train --data shapes32 --encoding quadratic --heads 4 --epochs 4 --keep 10 --seeds 0..2 --name four": {
		says: []string{`^wrote +runs/.*-four-`},
	},
	"attnconv analyse runs/*-four-* --over epochs -o four-heads.png": {inexact: true, says: []string{
		`^layer 1, 3 runs: `, `^wrote +four-heads\.png$`, // it compares with untrained layers
	}},
	"attnconv train --data shapes32 --encoding quadratic --epochs 4 --keep 10 --seeds 0..2 --name nine": {
		says: []string{`^wrote +runs/.*-nine-`},
	},
	"attnconv compare runs/*-four-* --baseline runs/*-nine-* --no-train --columns n,acc,diff,p": {inexact: true},

	"attnconv serve quad --export quad.html": {says: []string{`^wrote +quad\.html`}},
	"attnconv train --data shapes32 --encoding quadratic --heads 1 --epochs 4 --keep 10 --seeds 0..2 --name one": {
		says: []string{`^wrote +runs/.*-one-`},
	},
	"attnconv analyse runs/*-one-* --over epochs": {inexact: true, says: []string{`^layer 1, 3 runs: `}},

	"python3 net.py":                       {needs: []string{"torch"}, inexact: true},
	"python3 measure.py":                   {needs: []string{"numpy", "torch"}},
	"attnconv analyse --arrays layers.npz": {needs: []string{"numpy", "torch"}, inexact: true},
	"attnconv analyse --arrays layers.npz -o layers.svg": {
		needs: []string{"numpy", "torch"}, says: []string{`^wrote +layers\.svg$`},
	},
	"attnconv convert rn18 --alpha 0.5 -o heads.ckpt": {says: []string{`^wrote +heads\.ckpt +resnet18-heads `}},
	"attnconv export heads.ckpt -o heads.safetensors": {says: []string{`^wrote +heads\.safetensors `}},
	"python3 converted.py":                            {needs: []string{"numpy", "torch"}},
	"attnconv predict heads.ckpt --array images.npy":  {needs: []string{"numpy", "torch"}},

	"python3 curves.py": {needs: []string{"pandas"}},
	"python3 heads.py":  {needs: []string{"pandas"}},
	"attnconv analyse quad --no-images --json > quad.json": {},
	"python3 shares.py": {needs: []string{"pandas"}},
	"attnconv runs ls --columns id,label,seed,test_acc --format csv > runs.csv": {},
	"python3 seeds.py":                         {needs: []string{"pandas"}, inexact: true},
	"attnconv export quad -o quad.safetensors": {says: []string{`^wrote +quad\.safetensors `}},
	"python3 weights.py":                       {needs: []string{"safetensors.numpy"}},
	"python3 by_hand.py":                       {needs: []string{"numpy"}},
}
