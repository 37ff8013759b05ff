internal import GatewayCore
internal import GatewayRuntime

extension ProviderAnswer {
  /// What an HTTP exchange with the provider came to.
  init(_ result: Result<HTTPResponse, DialFailure>, _ dialect: any ClientDialect) {
    switch result {
    case .failure(let failure):
      self = .failed(failure.reason)
    case .success(let response):
      switch response.status {
      case 429, 503:
        self = .busy(status: response.status, retryAfter: Self.retryAfter(response))
      case 400..<500:
        self = .refused(status: response.status)
      case 200..<300:
        self = dialect.token(in: response).map { .token($0) } ?? .failed("no_token")
      default:
        self = .failed("http_\(response.status)")
      }
    }
  }

  /// What asking the gateway for a session key came to.
  init(key result: Result<HTTPResponse, DialFailure>, _ dialect: any ClientDialect) {
    switch result {
    case .failure(let failure):
      self = .failed(failure.reason)
    case .success(let response):
      switch dialect.key(in: response) {
      case .key(let key): self = .token(key)
      case .refused(let number): self = .denied(number: number)
      case nil: self = .failed("http_\(response.status)")
      }
    }
  }

  /// `Retry-After` in seconds (RFC 9110 section 10.2.3), an hour at most; its other form, a date, counts as absent.
  private static func retryAfter(_ response: HTTPResponse) -> Duration? {
    response.header("retry-after").flatMap { Int($0) }.flatMap { $0 < 0 ? nil : .seconds(min($0, 3600)) }
  }
}
