import Foundation
import Testing

@testable import postern

@Suite("A path in the file system")
struct FilePathTests {
  private static func inFolder(_ body: (FilePath) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "postern-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = FilePath(folder)
    try path.appending("inner").makeDirectory()
    try body(path)
  }

  @Test("is written whole, keeps its permissions, and leaves nothing beside it")
  func writing() throws {
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

  @Test("is written through where a link or a device stands, which stays")
  func throughLinks() throws {
    try Self.inFolder { folder in
      let (file, link) = (folder.appending("file"), folder.appending("link"))
      #expect(symlink("file", link.text) == 0)
      try link.write(Array("one".utf8))
      #expect(file.systemText == "one" && link.destination == "file")
      try FilePath("/dev/null").write(Array("one".utf8))
      #expect(FilePath("/dev/null").exists && !FilePath("/dev/null").isDirectory)
    }
  }

  @Test("says in the system's words why it cannot be written, and what stands there stays")
  func refusals() throws {
    try Self.inFolder { folder in
      #expect(throws: FileError.self) { try folder.appending("none/file").write([]) }
      #expect(throws: FileError.self) { try folder.write([]) }
      try folder.appending("file").write([1])
      #expect(throws: FileError.self) { try folder.appending("file/inner").makeDirectory() }
      #expect("\(FileError(number: ENOSPC))" == "No space left on device")
      #expect(throws: FileError(number: ENOSPC)) { try FilePath("/dev/full").write([1]) }
    }
  }

  @Test(
    "knows the folder that it is in",
    arguments: [
      ("a/b", "a"), ("/a/b/", "/a"), ("/a", "/"), ("/", "/"), ("a", "."), ("./a", "."), ("", "."), ("a//b", "a"),
    ])
  func folders(text: String, folder: String) {
    #expect(FilePath(text).folder.text == folder)
  }

  @Test("counts the cores that a process may run on, and reads its environment as the system does")
  func environment() {
    #expect(ProcessEnvironment.cores == ProcessInfo.processInfo.activeProcessorCount)
    #expect(ProcessEnvironment.memoryBytes == ProcessInfo.processInfo.physicalMemory)
    #expect(ProcessEnvironment.variables["PATH"] == ProcessInfo.processInfo.environment["PATH"])
  }
}
