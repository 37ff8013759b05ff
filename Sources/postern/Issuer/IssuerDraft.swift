import GatewayCore
import GatewayFleet
import GatewayKit

/// The values of the flags about the issuer that a storm serves, before they are checked together.
struct IssuerDraft: Sendable {
  var address: Arguments.Value?
  var limit: Sourced<RequestBudget>?
  var rotate: Sourced<Duration>?
  var overlap: Sourced<Duration>?
  var ahead: Sourced<Duration>?
  var latency: Sourced<Duration>?
  var maxAge: Sourced<Duration>?
  var wait: Sourced<Duration>?
  var forged: Sourced<Double>?
  var introspects: Sourced<Bool>?
  var tls = CertificateFlags()

  @OptionList<IssuerDraft>
  static var options: [Option<IssuerDraft>] {
    Option(
      "serve-jwks", "HOST:PORT",
      "serve the keys of --mint there, as the issuer http://HOST:PORT with a discovery document and /jwks.json; the first key is --key-file (P-256) or a new one",
      \.address, .asGiven)
    Option(
      "jwks-limit", "N/DURATION",
      "answer more requests for the keys than N in each such time with 429 and Retry-After (default: no limit)",
      \.limit, Reading<RequestBudget>.limit.sourced)
    Option(
      "jwks-rotate", "DURATION", "sign with a new key each time that long has passed, at least 1s (default: never)",
      \.rotate, Reading<Duration>.secondOrMore.sourced)
    Option(
      "jwks-overlap", "DURATION", "how long an old key stays in the set (default: the life of a token)", \.overlap,
      Reading<Duration>.duration.sourced)
    Option(
      "jwks-ahead", "DURATION", "how long a new key is in the set before it signs (default 0s)", \.ahead,
      Reading<Duration>.duration.sourced)
    Option(
      "jwks-latency", "DURATION", "how long each answer of the issuer takes (default 0s)", \.latency,
      Reading<Duration>.duration.sourced)
    Option(
      "jwks-max-age", "DURATION", "the max-age of the keys in Cache-Control (default 5m)", \.maxAge,
      Reading<Duration>.duration.sourced)
    Option(
      "jwks-wait", "DURATION",
      "how long the clients wait for the gateway's first request for the keys, e.g. of a gateway that starts at the same time (default 0s)",
      \.wait, Reading<Duration>.duration.sourced)
    Option(
      "forge", "PERCENT",
      "the percentage of the clients whose tokens have a random kid and are signed with a key that is in no set (default 0)",
      \.forged, Reading<Double>.percent.sourced)
    Option(
      "serve-introspection",
      "mint opaque tokens instead, and answer questions about them (RFC 7662) at /introspect of --serve-jwks",
      \.introspects)
    Option(
      "jwks-tls-certificate", "FILE",
      "the issuer's certificate chain, PEM; required if --serve-jwks is not on loopback", \.tls.certificate, .asGiven)
    Option("jwks-tls-key", "FILE", "the private key of --jwks-tls-certificate, PEM", \.tls.key, .asGiven)
  }

  /// The flags that are meaningless without the address, and are given.
  var needy: [String] {
    [
      limit?.source, rotate?.source, overlap?.source, ahead?.source, latency?.source, maxAge?.source, wait?.source,
      forged?.source, introspects.flatMap { $0.value ? $0.source : nil }, tls.certificate?.source, tls.key?.source,
    ].compactMap(\.self)
  }

  /// The flags about keys that are meaningless for opaque tokens, and are given.
  var aboutKeys: [String] {
    [limit?.source, rotate?.source, overlap?.source, ahead?.source, maxAge?.source, wait?.source].compactMap(\.self)
  }
}

extension Reading<RequestBudget> {
  /// Reads a number of requests in a time, e.g. `10/60s`.
  fileprivate static var limit: Self {
    Self { given, _ in
      do throws(BudgetText.Mistake) {
        guard !given.text.contains(",") else { throw BudgetText.Mistake("a budget has one limit here") }
        return try BudgetText.parse("all=\(given.text)")
      } catch {
        throw UsageError(given.source, value: given.text, expected: "N/DURATION, as 10/60s")
      }
    }
  }
}

extension Reading<Double> {
  /// Reads a percentage, with or without its sign, as a share.
  fileprivate static var percent: Self {
    Self { given, _ in
      let digits = given.text.hasSuffix("%") ? String(given.text.dropLast()) : given.text
      guard let number = Double(digits), (0...90).contains(number) else {
        throw UsageError(given.source, value: given.text, expected: "a percentage from 0 to 90")
      }
      return number / 100
    }
  }
}
