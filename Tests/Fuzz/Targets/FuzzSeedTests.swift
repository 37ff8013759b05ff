import Foundation
import Testing

struct FuzzSeedTests {
  private static let seeds = DescriptionTargets.root.appending(path: "Tests/Fuzz/Seeds")

  private static func inputs(of target: String) -> [URL] {
    let folder = seeds.appending(path: target)
    return ((try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? [])
      .sorted { $0.path < $1.path }
  }

  @Test(arguments: FuzzTargets.all.map(\.name))
  func `every kept input of a fuzz target satisfies the target's properties`(name: String) throws {
    let target = try #require(FuzzTargets.named(name))
    let inputs = Self.inputs(of: name)
    #expect(!inputs.isEmpty, "Tests/Fuzz/Seeds/\(name) is empty")
    for input in inputs {
      let bytes = Array(try Data(contentsOf: input))
      #expect(throws: Never.self, "\(input.lastPathComponent)") { try target.run(bytes) }
    }
    #expect(throws: Never.self) { try target.run([]) }
  }

  @Test
  func `every folder of kept inputs belongs to exactly one target`() throws {
    let names = FuzzTargets.all.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(try FileManager.default.contentsOfDirectory(atPath: Self.seeds.path).sorted() == names.sorted())
  }
}
