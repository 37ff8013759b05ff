package import GatewayCore

/// A client dialect that gets hostile messages and answers with a valid structure.
package struct FuzzedClient {
  private let dialect: any ClientDialect
  private let corpus: FuzzCorpus

  package init(_ dialect: any ClientDialect, corpus: FuzzCorpus) {
    self.dialect = dialect
    self.corpus = corpus
  }

  /// Returns how many of the messages mean something to the client. None may trap.
  package func heard(of count: Int = 2_000, seed: UInt64 = 31) -> Int {
    var source = FuzzSource(seed: seed, corpus: corpus)
    var bytes = HostileBytes(seed: seed, examples: Array(corpus.objects.prefix(200)))
    let identity = ClientIdentity(user: UserID("ann"), number: 1, message: 1, now: WallTime(seconds: 1.8e9))
    var heard = 0
    for _ in 0..<count {
      let object = source.isHit(0.8) ? Array(source.object().utf8) : bytes.next()
      let command = corpus.commands.isEmpty || source.isHit(0.1) ? "" : source.pick(corpus.commands)
      let message = Array(command.utf8) + object
      let memory = dialect.memory(of: identity)
      for kind in [Frame.Kind.text, .binary] {
        message.withUnsafeBytes { payload in
          for phase in [nil, ClientPhase.loggingIn, .live, .refreshing] {
            dialect.hear(payload, kind, by: { (phase, identity) }, memory) { if $0 != nil { heard += 1 } }
          }
        }
      }
      for status in [200, 201, 400] {
        let response = HTTPResponse(
          status: status, contentType: "application/json", text: String(decoding: object, as: UTF8.self))
        _ = (dialect.token(in: response), dialect.key(in: response), dialect.heed(response, of: identity, memory))
      }
      let token = Credentials(token: "e30.\(Base64URL.encode(object)).c2ln")
      if let end = dialect.end(of: token) { _ = end - identity.now }
      dialect.heardEnd(UInt16(source.below(65_536)), source.text(), of: { identity })
    }
    return heard
  }
}
