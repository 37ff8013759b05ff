import GatewayKit
import TestSupport
import Testing

@testable import postern

struct HelpTextTests {
  private static let names: [String] = Postern.commands.map { $0.name }

  private static func command(_ name: String) throws -> any Command.Type {
    try #require(Postern.commands.first { $0.name == name })
  }

  /// Returns the lines of a section without its title.
  private static func section(_ title: String, of text: String) -> [Substring] {
    text.split(separator: "\n", omittingEmptySubsequences: false).drop { $0 != "\(title):" }.dropFirst()
      .prefix { !$0.isEmpty }
  }

  @Test(arguments: ["serve", "storm"])
  func `the help begins with the ten flags that are needed first, and sorts the others into sections`(name: String)
    throws
  {
    let command = try Self.command(name)
    let text = HelpText(columns: 100).of(command.page)
    let first = Self.section("needed first", of: text).filter { $0.hasPrefix("  --") }
    #expect(first.count == 10)
    #expect(command.neededFirst.allSatisfy { name in first.contains { $0.hasPrefix("  --\(name)") } })
    #expect(command.sections.count > 3)
    let titles: [String] = command.sections.map { $0.title }
    #expect(titles.allSatisfy { text.contains("\n\n\($0):\n  --") }, "every section has its title")
  }

  @Test(arguments: names)
  func `the help shows every flag once`(name: String) throws {
    let command = try Self.command(name)
    let lines = HelpText(columns: 100).of(command.page).split(separator: "\n")
    for flag in command.flags + FlagSection.everywhere.flags {
      #expect(lines.count { $0.hasPrefix("  --\(flag.name) ") || $0 == "  --\(flag.name)" } == 1, "--\(flag.name)")
    }
  }

  @Test(arguments: names)
  func `a command with many flags says which ten come first`(name: String) throws {
    let command = try Self.command(name)
    #expect(command.flags.count <= 20 || command.neededFirst.count == 10)
  }

  @Test
  func `the short help has the most needed flags, and says how to see the rest`() throws {
    let text = HelpText(columns: 100).short(try Self.command("serve").page)
    #expect(text.contains("--secret-file") && Vendors.all.flatMap { $0.flags }.allSatisfy { !text.contains($0.name) })
    #expect(text.contains("postern serve --help shows all"))
  }

  @Test(arguments: names, [60, 100])
  func `the help is no wider than the terminal`(name: String, columns: Int) throws {
    let command = try Self.command(name)
    let example = command.example.split(separator: "\n").map { $0.drop { $0 == " " } }
    for line in HelpText(columns: columns).of(command.page).split(separator: "\n") {
      let isExample = example.contains { line.hasSuffix($0) }
      // A word that is longer than a line cannot be wrapped.
      let words = line.split(separator: " ")
      let hasRoom = words.count > (words.first?.hasPrefix("--") == true ? 2 : 1)
      #expect(line.count <= columns || isExample || !hasRoom, "\(line)")
    }
  }
}
