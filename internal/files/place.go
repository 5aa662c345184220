package files

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Place writes a file that another program made to the user's path, as Write does. If the made file is executable, it makes the copy
// executable for everyone who may read it.
func Place(made, path string) error {
	in, err := os.Open(made)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	o, err := Create(path)
	if err != nil {
		return err
	}
	defer o.Close()
	if _, err := io.Copy(o, in); err != nil {
		return err
	}
	if info.Mode()&0o100 != 0 {
		if err := o.runnable(); err != nil {
			return err
		}
	}
	return o.Commit()
}

// runnable makes a file executable for everyone who may read it. It leaves devices alone.
func (o *Output) runnable() error {
	if o.path == "" {
		return nil
	}
	info, err := o.file.Stat()
	if err != nil {
		return err
	}
	mode := info.Mode().Perm()
	return renamed(o.file.Chmod(mode|mode>>2&0o111), o.path)
}

// Put writes a file of a cache whole or not at all, with the given permissions. Unlike Commit it does not wait for the disk, because a lost
// cache file is made again.
func Put(path string, mode fs.FileMode, data []byte) error {
	part, err := os.CreateTemp(filepath.Dir(path), "part-")
	if err != nil {
		return renamed(err, path)
	}
	_, err = part.Write(data)
	if err == nil {
		err = part.Chmod(mode)
	}
	if closed := part.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(part.Name(), path)
	}
	if err != nil {
		os.Remove(part.Name())
	}
	return renamed(err, path)
}
