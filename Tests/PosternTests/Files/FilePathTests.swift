import Foundation
import Testing

@testable import postern

struct FilePathTests {
  private static func inFolder(_ body: (FilePath) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "postern-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = FilePath(folder)
    try path.appending("inner").makeDirectory()
    try body(path)
  }

  @Test
  func `a file is written completely, keeps its permissions, and leaves nothing beside it`() throws {
    try Self.inFolder { folder in
      let file = folder.appending("file")
      try file.write(Array("one".utf8))
      #expect(chmod(file.text, 0o600) == 0)
      try file.write(Array("two".utf8))
      #expect(file.systemText == "two")
      var status = stat()
      #expect(stat(file.text, &status) == 0 && status.st_mode & 0o777 == 0o600)
      #expect(Set(folder.names) == ["inner", "file"])
    }
  }

  @Test
  func `a link or a device is written through, and stays`() throws {
    try Self.inFolder { folder in
      let (file, link) = (folder.appending("file"), folder.appending("link"))
      #expect(symlink("file", link.text) == 0)
      try link.write(Array("one".utf8))
      #expect(file.systemText == "one" && link.destination == "file")
      try FilePath("/dev/null").write(Array("one".utf8))
      #expect(FilePath("/dev/null").exists && !FilePath("/dev/null").isDirectory)
    }
  }

  @Test
  func `a failed write is reported in the system's words, and the old content stays`() throws {
    try Self.inFolder { folder in
      #expect(throws: FileError.self) { try folder.appending("none/file").write([]) }
      #expect(throws: FileError.self) { try folder.write([]) }
      try folder.appending("file").write([1])
      #expect(throws: FileError.self) { try folder.appending("file/inner").makeDirectory() }
      #expect("\(FileError(number: ENOSPC))" == "No space left on device")
      #expect(throws: FileError(number: ENOSPC)) { try FilePath("/dev/full").write([1]) }
    }
  }

  @Test(arguments: [
    ("a/b", "a"), ("/a/b/", "/a"), ("/a", "/"), ("/", "/"), ("a", "."), ("./a", "."), ("", "."), ("a//b", "a"),
  ])
  func `a path knows the folder that it is in`(text: String, folder: String) {
    #expect(FilePath(text).folder.text == folder)
  }

  @Test
  func `the cores of a process are counted, and its environment is read as the system does`() {
    #expect(ProcessEnvironment.cores == ProcessInfo.processInfo.activeProcessorCount)
    #expect(ProcessEnvironment.memoryBytes == ProcessInfo.processInfo.physicalMemory)
    #expect(ProcessEnvironment.variables["PATH"] == ProcessInfo.processInfo.environment["PATH"])
  }
}
