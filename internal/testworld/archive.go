package testworld

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
)

// readArchive calls add with each file of a gzipped tar archive.
func readArchive(file string, add func(name string, data []byte)) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	archive := tar.NewReader(unzipped)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			return err
		}
		add(header.Name, data)
	}
}
