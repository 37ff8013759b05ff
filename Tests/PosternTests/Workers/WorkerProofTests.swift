import GatewayKit
import Testing

@testable import postern

struct WorkerProofTests {
  private let secret = "a secret of sixteen bytes or more"

  @Test
  func `a worker's proof holds for the secret, the prover and both numbers, and for nothing else`() {
    let proof = WorkerProof.code(secret, of: .storm, nonces: ("a", "b"))
    #expect(WorkerProof.holds(proof, secret, of: .storm, nonces: ("a", "b")))
    #expect(!WorkerProof.holds(proof, secret + "x", of: .storm, nonces: ("a", "b")))
    // Sent back to its author, it proves nothing.
    #expect(!WorkerProof.holds(proof, secret, of: .worker, nonces: ("b", "a")))
    #expect(!WorkerProof.holds(proof, secret, of: .worker, nonces: ("a", "b")))
    #expect(!WorkerProof.holds(proof, secret, of: .storm, nonces: ("b", "a")))
    #expect(!WorkerProof.holds(String(proof.dropLast()), secret, of: .storm, nonces: ("a", "b")))
    #expect(!WorkerProof.holds("", secret, of: .storm, nonces: ("a", "b")))
  }

  @Test
  func `a worker's proof is over a number that is another each time`() {
    #expect(Set((0..<100).map { _ in WorkerProof.nonce() }).count == 100)
  }

  @Test(arguments: [
    ("10.0.0.7:7300", "10.0.0.7:7300"), ("[::1]:1", "[::1]:1"), ("host.example:65535", "host.example:65535"),
  ])
  func `addresses of workers are read`(text: String, expected: String) throws {
    #expect(try WorkerAddress(Arguments.Value(text: text, source: "--worker")).description == expected)
  }

  @Test(arguments: ["", ":", "host", "host:", ":7300", "host:0", "host:65536", "host:-1", "::1:7300", "[]:1", "a:b:c"])
  func `text that is no worker's address is refused with what would be right`(text: String) {
    #expect(throws: UsageError.self) { try WorkerAddress(Arguments.Value(text: text, source: "--worker")) }
  }
}
