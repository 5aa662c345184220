// Files in memory for the engine: the part of node's fs that Go's os package calls in a browser. Loaded before wasm_exec.js.
"use strict";

(() => {
  const S_IFDIR = 0o040000, S_IFREG = 0o100000;
  const O_WRONLY = 1, O_RDWR = 2, O_CREAT = 64, O_EXCL = 128, O_TRUNC = 512, O_APPEND = 1024, O_DIRECTORY = 65536;

  let inode = 1;
  const folder = () => ({ ino: inode++, children: new Map() });
  const file = () => ({ ino: inode++, bytes: new Uint8Array(0), size: 0 });
  const root = folder();
  const open = new Map(); // descriptor to {node, position, append}
  let descriptor = 3;

  const failure = (code, path) => Object.assign(new Error(`${code}: ${path}`), { code });
  const parts = (path) => path.split("/").filter((p) => p !== "" && p !== ".");

  // parent returns the folder that a path's last part is in, and that part.
  function parent(path) {
    const all = parts(path), name = all.pop();
    let node = root;
    for (const p of all) {
      node = node.children?.get(p);
      if (!node) throw failure("ENOENT", path);
      if (!node.children) throw failure("ENOTDIR", path);
    }
    return [node, name];
  }

  function find(path) {
    const [at, name] = parent(path);
    const node = name === undefined ? at : at.children.get(name);
    if (!node) throw failure("ENOENT", path);
    return node;
  }

  function status(node) {
    const directory = Boolean(node.children), size = directory ? 0 : node.size;
    return {
      dev: 1, ino: node.ino, mode: directory ? S_IFDIR | 0o755 : S_IFREG | 0o644, nlink: 1, uid: 0, gid: 0, rdev: 0, size,
      blksize: 4096, blocks: Math.ceil(size / 512), atimeMs: 0, mtimeMs: 0, ctimeMs: 0, isDirectory: () => directory,
    };
  }

  function opened(fd) {
    const o = open.get(fd);
    if (!o) throw failure("EBADF", String(fd));
    return o;
  }

  function resize(node, size) {
    if (size > node.bytes.length) {
      const bytes = new Uint8Array(Math.max(size, 2 * node.bytes.length));
      bytes.set(node.bytes.subarray(0, node.size));
      node.bytes = bytes;
    }
    node.bytes.fill(0, Math.min(node.size, size), node.size);
    node.size = size;
  }

  // later calls back with the result of do, or with its error, as node does.
  const later = (callback, work) => {
    let result;
    try {
      result = work();
    } catch (error) {
      queueMicrotask(() => callback(error));
      return;
    }
    queueMicrotask(() => callback(null, result));
  };

  const decoder = new TextDecoder();
  const nothing = (...all) => later(all.at(-1), () => undefined);
  const refused = (...all) => later(all.at(-1), () => { throw failure("ENOSYS", ""); });

  globalThis.fs = {
    constants: { O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND, O_EXCL, O_DIRECTORY },
    writeSync(fd, buffer) {
      (fd === 2 ? console.error : console.log)(decoder.decode(buffer));
      return buffer.length;
    },
    write(fd, buffer, offset, length, position, callback) {
      later(callback, () => {
        const data = buffer.subarray(offset, offset + length);
        if (fd <= 2) return this.writeSync(fd, data);
        const o = opened(fd);
        if (o.append) o.position = o.node.size;
        const at = position ?? o.position;
        if (at + length > o.node.size) resize(o.node, at + length);
        o.node.bytes.set(data, at);
        if (position === null) o.position += length;
        return length;
      });
    },
    read(fd, buffer, offset, length, position, callback) {
      later(callback, () => {
        const o = opened(fd), at = position ?? o.position;
        const data = o.node.bytes.subarray(at, Math.min(o.node.size, at + length));
        buffer.set(data, offset);
        if (position === null) o.position += data.length;
        return data.length;
      });
    },
    open(path, flags, mode, callback) {
      later(callback, () => {
        const [at, name] = parent(path);
        let node = name === undefined ? at : at.children.get(name);
        if (node && flags & O_CREAT && flags & O_EXCL) throw failure("EEXIST", path);
        if (!node) {
          if (!(flags & O_CREAT)) throw failure("ENOENT", path);
          at.children.set(name, node = file());
        }
        if (flags & O_DIRECTORY && !node.children) throw failure("ENOTDIR", path);
        if (flags & O_TRUNC && !node.children) resize(node, 0);
        open.set(++descriptor, { node, position: 0, append: Boolean(flags & O_APPEND) });
        return descriptor;
      });
    },
    close(fd, callback) { later(callback, () => { opened(fd); open.delete(fd); }); },
    fstat(fd, callback) { later(callback, () => status(opened(fd).node)); },
    stat(path, callback) { later(callback, () => status(find(path))); },
    lstat(path, callback) { later(callback, () => status(find(path))); },
    mkdir(path, mode, callback) {
      later(callback, () => {
        const [at, name] = parent(path);
        if (name === undefined || at.children.has(name)) throw failure("EEXIST", path);
        at.children.set(name, folder());
      });
    },
    readdir(path, callback) {
      later(callback, () => {
        const node = find(path);
        if (!node.children) throw failure("ENOTDIR", path);
        return [...node.children.keys()];
      });
    },
    rename(from, to, callback) {
      later(callback, () => {
        const node = find(from), [source, old] = parent(from), [target, name] = parent(to);
        source.children.delete(old);
        target.children.set(name, node);
      });
    },
    rmdir(path, callback) {
      later(callback, () => {
        const [at, name] = parent(path);
        if (find(path).children?.size) throw failure("ENOTEMPTY", path);
        at.children.delete(name);
      });
    },
    unlink(path, callback) {
      later(callback, () => {
        if (find(path).children) throw failure("EISDIR", path);
        const [at, name] = parent(path);
        at.children.delete(name);
      });
    },
    ftruncate(fd, length, callback) { later(callback, () => resize(opened(fd).node, length)); },
    truncate(path, length, callback) { later(callback, () => resize(find(path), length)); },
    fsync: nothing, chmod: nothing, fchmod: nothing, chown: nothing, fchown: nothing, lchown: nothing, utimes: nothing,
    link: refused, symlink: refused, readlink: refused,
  };
  root.children.set("tmp", folder());

  globalThis.process = {
    getuid: () => 0, getgid: () => 0, geteuid: () => 0, getegid: () => 0, getgroups: () => [], pid: 1, ppid: 0,
    umask: () => 0o022, cwd: () => "/", chdir: (path) => { if (parts(path).length) throw failure("ENOSYS", path); },
  };
})();
