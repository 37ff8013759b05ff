import GatewayCore
import GatewayRuntime

/// The secret of a storm's workers, and the authorities that it trusts to sign their certificates.
struct WorkerAccess: Sendable {
  let secret: String
  /// The file of the authorities that sign the workers' certificates; nil for the system's.
  let authorityPath: String?

  func target(of address: WorkerAddress) -> DialTarget {
    var target = DialTarget(host: address.host, port: Int(address.port), isTLS: address.isTLS)
    if address.isTLS, let authorityPath { target.identity = TLSIdentity(caPath: authorityPath) }
    return target
  }

  func request(_ method: String, _ path: String, _ body: [UInt8] = []) -> HTTPRequest {
    var request = HTTPRequest(method: method, path: path)
    request.headers = [HTTPField("authorization", "Bearer \(secret)")]
    if !body.isEmpty { request.headers.append(HTTPField("content-type", "application/json")) }
    request.body = body
    return request
  }

  /// Returns a text that says what failed and what to do.
  func words(_ failure: DialFailure, _ address: WorkerAddress) -> String {
    switch failure {
    case .insecure(.peerWantsTLS): "\(failure); name it as https://\(address)"
    case .insecure(.untrusted) where authorityPath == nil:
      "\(failure); --worker-ca names the file of the authority that has"
    case .insecure(.handshake), .insecure(.plainText):
      "\(failure); postern worker has TLS with --tls-certificate and --tls-key"
    // Most servers close without an answer when the client speaks the other protocol.
    case .unreachable(let text)
    where !address.isTLS && (text.hasPrefix("receive") || text.contains(bytesOf: "ended before")):
      "\(failure); if it has TLS, name it as https://\(address)"
    case .unreachable: "\(failure); is postern worker running at \(address)?"
    default: "\(failure)"
    }
  }
}
