import GatewayCore
import GatewayJSON
import GatewayTokens
import Testing

struct SignerTests {
  @Test(arguments: JWTAlgorithm.allCases)
  func `a token that we sign verifies, with its header and its claims`(algorithm: JWTAlgorithm) throws {
    let signer = try Fixture.signer(algorithm, id: "main", type: "at+jwt")
    let token = signer.sign(Array(#"{"user_id":"ann","exp":1800000000}"#.utf8))
    let segments = token.split(separator: ".").map(String.init)
    let header = try JSONDocument.parse(try #require(Base64URL.decode(segments[0]))).root
    #expect(header["alg"]?.string == algorithm.name && header["typ"]?.string == "at+jwt")
    #expect(header["kid"]?.string == "main" && header.count == 3)

    let name = Fixture.keyName(algorithm)
    let publicKey = try Fixture.key(name.hasPrefix("hmac") ? name : "\(name).pub", id: "main", algorithms: [algorithm])
    let claims = try Fixture.verifier(publicKey).verify(token, at: .verification)
    #expect(claims["user_id"]?.string == "ann" && claims.expiresAt == WallTime(seconds: 1_800_000_000))
  }

  @Test(arguments: JWTAlgorithm.allCases)
  func `a token of PyJWT verifies, with its own algorithm only`(algorithm: JWTAlgorithm) throws {
    let file = try Fixture.json("pyjwt.json")
    let entry = try #require(file["tokens"]?.elements?.first { $0["alg"]?.string == algorithm.name })
    let token = try #require(entry["token"]?.string)
    let name = try #require(entry["key"]?.string)
    let key = try Fixture.key(name.hasPrefix("hmac") ? name : "\(name).pub", id: name, algorithms: [algorithm])
    let claims = try Fixture.verifier(key).verify(token, at: .verification)
    for (name, value) in try #require(file["claims"]?.members) {
      #expect(claims.payload[member: name]?.text == value.text)
    }
    for other in JWTAlgorithm.allCases where other != algorithm {
      let wrong = try Fixture.key(Fixture.keyName(other), id: name, algorithms: [other])
      #expect(throws: TokenError.algorithmNotForKey) { try Fixture.verifier(wrong).verify(token, at: .verification) }
    }
  }

  @Test
  func `ECDSA signatures with leading zeros in r or s have their full width`() throws {
    for algorithm in [JWTAlgorithm.es256, .es384] {
      let signer = try Fixture.signer(algorithm)
      let verifier = try Fixture.verifier(try Fixture.key("\(Fixture.keyName(algorithm)).pub"))
      // One signature in 128 has a leading zero byte; 600 without one have a probability of 1 in 100.
      var sawZero = false
      for number in 0..<600 {
        let token = signer.sign(Array(#"{"n":\#(number)}"#.utf8))
        let signature = try #require(Base64URL.decode(String(token.split(separator: ".")[2])))
        #expect(signature.count == (algorithm == .es256 ? 64 : 96))
        let isShort = signature[0] == 0 || signature[signature.count / 2] == 0
        if isShort || number < 5 {
          sawZero = sawZero || isShort
          #expect(throws: Never.self) { try verifier.verify(token, at: .verification) }
        }
        if sawZero && number > 10 { break }
      }
    }
  }

  @Test
  func `signing needs the private half, and an algorithm of the key`() throws {
    #expect(throws: KeyError.notPrivate) { try JWTSigner(try Fixture.key("rsa2048.pub"), algorithm: .rs256) }
    #expect(throws: KeyError.notPrivate) { try JWTSigner(try Fixture.key("p256.pub")) }
    #expect(throws: KeyError.notPrivate) { try JWTSigner(try Fixture.key("ed25519.pub")) }
    #expect(throws: KeyError.self) { try JWTSigner(try Fixture.key("p256"), algorithm: .es384) }
    #expect(throws: KeyError.secretTooShort(bytes: 32, algorithm: .hs512)) {
      try JWTSigner(try Fixture.key("hmac-32", algorithms: [.hs512]))
    }
  }

  @Test
  func `dates in tokens are written as briefly as exactness allows, and read back the same`() throws {
    let times: [(Int64, String)] = [
      (1_700_000_000_000_000_000, "1700000000"), (1_700_000_000_500_000_000, "1700000000.5"),
      (1_700_000_000_000_001_999, "1700000000.000001"), (0, "0"), (-500_000_000, "-0.5"),
    ]
    for (nanoseconds, text) in times {
      #expect(NumericDate.text(WallTime(nanoseconds: nanoseconds)) == text)
      let read = NumericDate.read(try JSONDocument.parse("[\(text)]").root.elements![0])
      #expect(read == WallTime(nanoseconds: nanoseconds / 1000 * 1000))
    }
    #expect(NumericDate.read(try JSONDocument.parse("[9223372036854775807]").root.elements![0])?.nanoseconds == .max)
    #expect(NumericDate.read(try JSONDocument.parse("[1e300]").root.elements![0])?.nanoseconds == .max)
  }
}
