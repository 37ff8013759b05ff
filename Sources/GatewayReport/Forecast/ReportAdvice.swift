/// The change that would have kept every client of a storm, as a simulation of it has it.
package struct ReportAdvice: Hashable, Sendable, Encodable {
  /// The least jitter that is enough, as a share of the tokens' life; nil if no jitter is.
  package let jitter: Double?
  /// The least rate of the provider that is enough; nil where jitter is the advice.
  package let tokensPerSecond: Double?
  /// The same in a sentence.
  package let text: String

  package init(jitter: Double?, tokensPerSecond: Double?, text: String) {
    self.jitter = jitter
    self.tokensPerSecond = tokensPerSecond
    self.text = text
  }
}
