import FoundationEssentials
import TestSupport
import Testing

@testable import postern

/// The system's memory, as its files describe it.
struct MemoryFiguresTests {
  private static let megabyte: UInt64 = 1 << 20

  /// Returns figures from files below a test's own folder.
  private static func figures(_ files: [String: String]) throws -> MemoryFigures {
    let folder = FileManager.default.temporaryDirectory.appending(path: "memory-\(UUID().uuidString)")
    for (path, text) in files {
      let file = folder.appending(path: path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    return MemoryFigures(root: folder.path + "/")
  }

  @Test
  func `the memory is the machine's if no control group has a limit`() throws {
    let figures = try Self.figures([
      "proc/meminfo": "MemTotal: 9 kB\nMemAvailable:    2048 kB\n", "proc/self/cgroup": "0::/a/b\n",
      "sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/b/memory.current": "5\n",
    ])
    #expect(figures.ofMachine == 2 * Self.megabyte && figures.ofGroups == nil)
  }

  @Test
  func `the available memory is what the tightest control group leaves, without reclaimable pages`() throws {
    let figures = try Self.figures([
      "proc/self/cgroup": "0::/pod/one\n",
      "sys/fs/cgroup/pod/one/memory.max": "\(800 * Self.megabyte)\n",
      "sys/fs/cgroup/pod/one/memory.current": "\(100 * Self.megabyte)\n",
      "sys/fs/cgroup/pod/memory.max": "\(500 * Self.megabyte)\n",
      "sys/fs/cgroup/pod/memory.current": "\(300 * Self.megabyte)\n",
      "sys/fs/cgroup/pod/memory.stat": "anon 1\nactive_file 7\ninactive_file \(50 * Self.megabyte)\n",
    ])
    #expect(figures.ofGroups == 250 * Self.megabyte)
  }

  @Test
  func `the available memory is also read from version 1 control groups, whose folder is a container's root`() throws {
    let figures = try Self.figures([
      "proc/self/cgroup": "5:cpu,memory:/docker/4711\n1:name=systemd:/\n",
      "sys/fs/cgroup/memory/memory.limit_in_bytes": "\(64 * Self.megabyte)\n",
      "sys/fs/cgroup/memory/memory.usage_in_bytes": "\(90 * Self.megabyte)\n",
    ])
    #expect(figures.ofGroups == 0)
  }

  @Test
  func `the memory is unknown if the files are missing, or say nothing`() throws {
    #expect(try Self.figures([:]).ofMachine == nil)
    let strange = try Self.figures(["proc/self/cgroup": "::\n0\n0::/../..\n", "proc/meminfo": "MemAvailable: much kB"])
    #expect(strange.ofGroups == nil && strange.ofMachine == nil)
    #expect(MemoryFigures.available.map { $0 > Self.megabyte } ?? true)
  }
}
