internal import GatewayJSON

extension SendbirdThumbnail {
  /// Writes its members, as in an upload's answer and in messages.
  func writeMembers(to json: inout JSONWriter) {
    json.member("url", url)
    json.member("plain_url", url)
    json.member("width", width)
    json.member("height", height)
    json.member("real_width", realWidth)
    json.member("real_height", realHeight)
  }
}
