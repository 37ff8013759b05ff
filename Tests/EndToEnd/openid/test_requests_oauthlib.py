"""requests-oauthlib, configured with what the SDK is told instead of discovery."""

import pytest
import requests
from oauthlib.oauth2 import InvalidGrantError
from provider import CLIENT, LOGGED_OUT, REDIRECT, SCOPES, exchange, identify, log_in
from requests_oauthlib import OAuth2Session


@pytest.mark.parametrize("names_itself", [True, None], ids=["client_id", "basic"])
def test_a_whole_life(gateway, names_itself):
    address = f"{gateway.http_url}/streem/v1/companies/postern/openid-configuration"
    configuration = requests.get(address, timeout=60).json()
    assert configuration["clientId"] == CLIENT
    client = OAuth2Session(CLIENT, redirect_uri=REDIRECT, scope=SCOPES.split(), pkce="S256")
    address, _ = client.authorization_url(configuration["authorizationEndpoint"], nonce="n")
    endpoint = configuration["tokenEndpoint"]
    token = client.fetch_token(
        endpoint, authorization_response=log_in(address, "bob"), include_client_id=names_itself
    )
    fresh = client.refresh_token(endpoint, client_id=CLIENT)
    assert fresh["refresh_token"] != token["refresh_token"]
    answer = exchange(gateway, fresh["access_token"])
    assert identify(gateway, answer.json()["streemToken"])["user"]["externalUserId"] == "bob"
    assert exchange(gateway, fresh["access_token"], companyCode="other").status_code == 404

    query = {"id_token_hint": fresh["id_token"], "post_logout_redirect_uri": LOGGED_OUT}
    out = requests.get(configuration["logoutEndpoint"], params=query, timeout=60, allow_redirects=False)
    assert out.status_code == 303 and out.headers["Location"] == LOGGED_OUT
    with pytest.raises(InvalidGrantError):
        client.refresh_token(endpoint, client_id=CLIENT)
