import GatewayKit
import Testing

@testable import postern

struct WorkerAddressTests {
  private static func read(_ text: String) throws -> WorkerAddress {
    try WorkerAddress(Arguments.Value(text: text, source: "--worker"))
  }

  @Test(arguments: [
    ("10.0.0.7:7300", "10.0.0.7:7300"), ("[::1]:1", "[::1]:1"), ("host.example:65535", "host.example:65535"),
    ("https://10.0.0.7:7300", "10.0.0.7:7300"), ("https://host.example:7300/", "host.example:7300"),
    ("http://127.0.0.1:7300", "127.0.0.1:7300"), ("https://[fd00::1]:7300", "[fd00::1]:7300"),
  ])
  func `addresses of workers are read, with and without a scheme`(text: String, expected: String) throws {
    #expect(try Self.read(text).description == expected)
  }

  @Test(arguments: [
    ("10.0.0.7:1", true), ("127.0.0.1:1", false), ("[::1]:1", false), ("localhost:1", false), ("LocalHost.:1", false),
    ("127.example:1", true), ("localhost.example:1", true), ("[fd00::1]:1", true), ("https://127.0.0.1:1", true),
    ("http://localhost:1", false),
  ])
  func `a worker on another machine has TLS, and one on loopback only if its address asks for it`(
    text: String, isTLS: Bool
  ) throws {
    #expect(try Self.read(text).isTLS == isTLS)
  }

  @Test(arguments: ["http://10.0.0.7:7300", "http://host.example:7300", "http://127.0.0.1.example:7300"])
  func `the secret is not sent in plain text to a worker off loopback`(text: String) {
    #expect {
      try Self.read(text)
    } throws: {
      "\($0)".contains("give https://")
    }
  }

  @Test(arguments: [
    "", ":", "host", "host:", ":7300", "host:0", "host:65536", "host:-1", "::1:7300", "[]:1", "a:b:c", "https://",
    "https://host", "https://host:1/path", "ftp://host:1", "wss://host:1", "a b:1", "a\n:1",
  ])
  func `text that is not a worker's address is refused, and the error names what would be right`(text: String) {
    #expect(throws: UsageError.self) { try Self.read(text) }
  }

  @Test
  func `a worker may listen on a free port, which no storm can name`() throws {
    let value = Arguments.Value(text: "127.0.0.1:0", source: "--listen")
    #expect(try WorkerAddress(listeningOn: value, isTLS: false).port == 0)
    #expect(throws: UsageError.self) { try WorkerAddress(value) }
  }
}
