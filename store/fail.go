package store

import (
	"errors"
	"io/fs"
	"syscall"

	"fairlead/fault"
	"fairlead/session"
)

// failed gives an error of the machine its meaning.
func failed(op string, err error) error {
	if err == nil {
		return nil
	}
	if already, ok := errors.AsType[*fault.Error](err); ok {
		return already
	}
	switch {
	case full(err):
		return fault.Wrap(fault.Unavailable, op, err,
			"The disk that holds the sessions is full. This was not written; nothing that was confirmed before is lost. Make room, then try again.").WithCode(session.CodeDiskFull)
	case errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS):
		return fault.Wrap(fault.Denied, op, err,
			"The folder of the sessions cannot be written. Nothing was changed. Check who owns it, or choose another one with FAIRLEAD_HOME.").WithCode(session.CodeDiskError)
	}
	return fault.Wrap(fault.Unavailable, op, err,
		"The disk that holds the sessions failed. This was not written; nothing that was confirmed before is lost. Check the disk, then try again.").WithCode(session.CodeDiskError)
}

func full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}
