package disk

import "golang.org/x/sys/unix"

// localTypes are file systems that one kernel serves only to itself. Network file systems, and those that another
// kernel may serve (9p, virtiofs, FUSE), are not among them: a lock there may be invisible to other machines.
var localTypes = map[int64]bool{
	unix.EXT4_SUPER_MAGIC: true, unix.XFS_SUPER_MAGIC: true, unix.BTRFS_SUPER_MAGIC: true, unix.TMPFS_MAGIC: true,
	unix.RAMFS_MAGIC: true, unix.F2FS_SUPER_MAGIC: true, unix.OVERLAYFS_SUPER_MAGIC: true, unix.MSDOS_SUPER_MAGIC: true,
	unix.REISERFS_SUPER_MAGIC: true, unix.NILFS_SUPER_MAGIC: true,
	0x2fc12fc1: true, 0xca451a4e: true, 0x2011bab0: true, 0x3153464a: true, // ZFS, bcachefs, exFAT, JFS
}

// Local reports whether dir is on a file system that no other machine can see.
func Local(dir string) bool {
	var s unix.Statfs_t
	return unix.Statfs(dir, &s) == nil && localTypes[int64(s.Type)]
}
