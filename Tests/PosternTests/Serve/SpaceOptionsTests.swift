import GatewayCore
import GatewayKit
import GatewayProcess
import GatewayRuntime
import GatewayServer
import GatewaySpace
import TestSupport
import Testing

@testable import postern

struct SpaceOptionsTests {
  private func serve(_ words: [String]) throws -> GatewaySettings {
    try ServeOptions(
      Arguments(words, flags: ServeFlags.all, environment: [:], operands: false, among: Postern.commands)
    ).settings
  }

  private func read(_ serve: [String] = [], _ settings: SpaceOrder.Setting...) throws -> SpacesSettings.Reading {
    try #require(try self.serve(["--spaces"] + serve).spaces).read(settings)
  }

  private func complaint(_ settings: SpaceOrder.Setting...) -> String {
    do {
      _ = try serve(["--spaces"]).spaces?.read(settings)
      return ""
    } catch {
      return (error as? GatewayError)?.message ?? "\(error)"
    }
  }

  @Test
  func `spaces are offered if serve has --spaces, on one loop unless more are given`() throws {
    #expect(try serve([]).spaces == nil)
    let settings = try serve(["--spaces", "--spaces-max", "7"])
    #expect(settings.spaces?.countMax == 7 && settings.loops == 1)
    #expect(try serve(["--spaces", "--loops", "3"]).loops == 3)
  }

  @Test
  func `a space inherits serve's settings, but for keys`() throws {
    let words = ["--refresh-lead", "30s", "--secret", "the secret of the process, forty letters"]
    let plain = try read(words)
    #expect(plain.settings.space.configuration.session.refreshLead == .seconds(30))
    let (one, other) = (try #require(plain.secret), try #require(try read(words).secret))
    #expect(one != other && one.utf8.count == 64 && plain.connectionsMax == nil && plain.settings.spaces == nil)
    let own = try read(
      words, .init("refresh-lead", ["5s"]), .init("connections-max", ["9"]), .init("echo", ["true"]),
      .init("secret", ["a secret of the space, of forty letters too"]))
    #expect(own.secret == nil && own.connectionsMax == 9 && own.settings.space.configuration.offersEcho)
    #expect(own.settings.space.configuration.session.refreshLead == .seconds(5))
  }

  @Test
  func `every option of serve belongs to a space, or is listed as the process's`() {
    for flag in ServeFlags.all {
      let said = complaint(.init(flag.name, ["\u{1}"]))
      #expect(!said.contains("no option of postern serve"), "\(flag.name)")
    }
    for name in ["port", "host", "tls-key", "store", "loops", "spaces", "drain-window", "log-level"] {
      #expect(complaint(.init(name, ["1"])).contains("'\(name)' is the whole process's"))
    }
  }

  @Test
  func `no option in an order reveals whether a path exists, nor reads the file`() throws {
    let hidden = try TemporaryFile("marked and hidden, of forty letters or so")
    let paths = [hidden.path, hidden.path + ".missing", "/tmp", "/nowhere/x"]
    // The value of --secret is the secret itself, and the answer contains its length.
    for flag in ServeFlags.all where flag.value != nil && flag.name != "secret" {
      for form in ["", "ann=", "sqlite:"] {
        let said = paths.map { path in
          complaint(.init(flag.name, [form + path])).split(separator: path).joined(separator: "PATH")
        }
        #expect(Set(said).count == 1, "\(flag.name): \(said)")
        #expect(!said[0].contains("marked and hidden"))
      }
    }
  }

  @Test
  func `an order carries the content of every option that takes a file`() throws {
    for flag in ServeFlags.all where flag.file != nil {
      let name = flag.file == .named ? "ann" : nil
      let said = complaint(.init(flag.name, values: [.content("content of forty letters, or nearly so", name: name)]))
      #expect(!said.contains("takes no path") && !said.contains("does not exist"), "\(flag.name): \(said)")
    }
    let own = try read(
      [], .init("secret-file", values: [.content("a secret of the space, of forty letters too", name: nil)]))
    #expect(own.secret == nil)
  }

  @Test
  func `an invalid setting of a space is refused, and the error names what would be right`() {
    #expect(complaint(.init("refresh-timeot", ["1s"])).contains("did you mean 'refresh-timeout'?"))
    #expect(complaint(.init("zzzzzzzz", ["1"])).contains("there is algorithm, allow-short-secret"))
    #expect(complaint(.init("refresh-timeout", ["1s"])).contains("60 to 1800 s"))
    #expect(complaint(.init("token-life", ["1s", "2s"], isArray: true)).contains("takes one value, no array"))
    #expect(complaint(.init("\u{212A}ey-file", ["x"])).contains("no option of postern serve"))
    #expect(complaint(.init("key-file", ["/dev/zero"])).contains("takes no path"))
    #expect(complaint(.init("token-life", [String(repeating: "9", count: 9_000)])).utf8.count < 5_000)
    #expect(!complaint(.init("secret", ["hush-hush"])).contains("hush-hush"))
  }
}
