//go:build !linux && !darwin

package disk

import "errors"

func exchange(int, string, string) error { return errors.ErrUnsupported }
