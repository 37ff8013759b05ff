import GatewayCore
import GatewayJSON
import GatewayTokens
import Testing

struct ConcurrentVerificationTests {
  @Test(arguments: JWTAlgorithm.allCases)
  func `one verifier accepts good tokens and refuses bad ones from all threads at once`(algorithm: JWTAlgorithm)
    async throws
  {
    let signer = try Fixture.signer(algorithm)
    let name = Fixture.keyName(algorithm)
    let key = try Fixture.key(name.hasPrefix("hmac") ? name : "\(name).pub", algorithms: [algorithm])
    let verifier = try Fixture.verifier(key)
    let rounds = algorithm.name.hasPrefix("HS") ? 500 : 50
    let failures = await withTaskGroup { group in
      for worker in 0..<8 {
        group.addTask { @concurrent in
          var failures = 0
          for round in 0..<rounds {
            let token = signer.sign(Array(#"{"user_id":"\#(worker)-\#(round)"}"#.utf8))
            let claims = try? verifier.verify(token, at: .verification)
            if claims?["user_id"]?.string != "\(worker)-\(round)" { failures += 1 }
            let forged = String(token.dropLast(8)) + "AAAAAAAA"
            if (try? verifier.verify(forged, at: .verification)) != nil { failures += 1 }
          }
          return failures
        }
      }
      return await group.reduce(0, +)
    }
    #expect(failures == 0)
  }
}
