import Foundation
import GatewayKit
import TestSupport
import Testing

@testable import postern

struct CompletionTests {
  /// Returns bash's completions for the last of `words`, which it splits like a command line.
  private func offered(_ words: String...) throws -> [String] {
    let script = BashCompletion(completed: CompletedCommands(Postern.commands)).script
    let quoted = words.map { "'\($0)'" }.joined(separator: " ")
    let output = try Subprocess.output(
      of: "bash", "-euc",
      script + "COMP_WORDS=(\(quoted)); COMP_CWORD=\(words.count - 1)\n_postern || true\n"
        + "printf '%s\\n' \"${COMPREPLY[@]-}\"")
    return output.split(separator: "\n").map(String.init)
  }

  @Test
  func `bash offers the commands`() throws {
    #expect(try offered("postern", "s") == ["serve", "storm", "simulate", "scenario"])
    #expect(try offered("postern", "token", "") == ["mint", "inspect", "verify", "bench", "--help"])
    #expect(try offered("postern", "help", "to") == ["token"])
    #expect(try offered("postern", "ctl", "expi") == ["expire"])
    #expect(try offered("postern", "completions", "") == ["bash", "zsh", "fish"])
  }

  @Test
  func `bash offers a command's flags, and no other's`() throws {
    #expect(
      try offered("postern", "serve", "--refresh-") == ["--refresh-timeout", "--refresh-lead", "--refresh-spread"])
    #expect(try offered("postern", "storm", "--threshold", "x", "--cli") == ["--clients"])
    #expect(try offered("postern", "token", "mint", "--us") == ["--user"])
    #expect(try offered("postern", "serve", "--clients").isEmpty)
    #expect(Set(try offered("postern", "serve", "--")).isSuperset(of: ServeCommand.flags.map { "--\($0.name)" }))
  }

  @Test
  func `bash offers a flag's values, behind a space or an equals sign`() throws {
    #expect(try offered("postern", "serve", "--revocation", "") == ["refresh", "close"])
    #expect(try offered("postern", "serve", "--revocation", "=") == ["refresh", "close"])
    #expect(try offered("postern", "serve", "--revocation", "=", "c") == ["close"])
    #expect(
      try offered("postern", "token", "mint", "--scheme", "s")
        == Vendors.all.map { $0.scheme }.filter { $0.hasPrefix("s") })
    #expect(try offered("postern", "serve", "--port", "").isEmpty, "nobody knows which")
    #expect(try offered("postern", "serve", "--echo", "--drain-w") == ["--drain-window"], "a switch has no value")
  }

  @Test
  func `bash offers files for a flag that needs one, also after its name and =`() throws {
    let file = try TemporaryFile("")
    let start = String(file.path.dropLast(3))
    #expect(try offered("postern", "serve", "--secret-file", start) == [file.path])
    #expect(try offered("postern", "serve", "--secret-file", "=", start) == [file.path])
    let named = try #require(ServeCommand.flags.first { $0.value?.hasSuffix("=FILE") == true }?.name)
    #expect(try offered("postern", "serve", "--\(named)", "key", "=", start) == [file.path])
    #expect(try offered("postern", "serve", "--\(named)", start).isEmpty, "that is the name")
    #expect(try offered("postern", "storm", "--report", start).isEmpty, "a file is no directory")
  }

  @Test(arguments: CompletionsCommand.Shell.allCases)
  func `a shell reads its completion script without a complaint`(shell: CompletionsCommand.Shell) throws {
    let text = shell.script(CompletedCommands(Postern.commands))
    for command in Postern.commands {
      for flag in command.flags { #expect(text.contains(flag.name), "\(command.name) --\(flag.name)") }
    }
    guard Subprocess.exists(shell.rawValue) else { return }
    let script = try TemporaryFile(text)
    _ = try Subprocess.output(of: shell.rawValue, "-n", script.path)
  }
}

struct ManualPageTests {
  private let page = ManualPage.text(of: Postern.commands)

  @Test
  func `the manual page has every command and every flag`() {
    for command in Postern.commands {
      #expect(page.contains(".SS \"postern \(command.name) "))
      for flag in command.flags {
        #expect(
          page.contains("\\fB\\-\\-\(flag.name.replacing("-", with: "\\-"))\\fR"), "\(command.name) --\(flag.name)")
      }
    }
  }

  @Test(.enabled(if: Subprocess.exists("groff")))
  func `the manual page is set without a warning`() throws {
    let file = try TemporaryFile(page)
    let (text, complaints) = try Subprocess.run("groff", "-man", "-Tutf8", "-ww", "-rLL=100n", file.path)
    #expect(complaints.isEmpty)
    // Bold letters are printed twice.
    let plain = text.replacing(/.\u{8}/, with: "")
    #expect(plain.contains("POSTERN_REFRESH_TIMEOUT") && !plain.contains("\\f") && !plain.contains("\\-"))
  }
}
