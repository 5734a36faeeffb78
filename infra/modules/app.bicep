// The switch itself, on Flex Consumption: one instance wakes up each minute for the timer.
@description('Its name, unique in the world.')
param name string

@description('Where it runs.')
param location string

@description('Memory of an instance in MB.')
param memory int

@description('HTTP instances that are always there; 0, for each costs some 40 USD a month.')
@minValue(0)
@maxValue(2)
param alwaysReady int

@description('Its identity: for Azure, its vault, its storage and its telemetry.')
param identityId string

@description('The client id of that identity.')
param clientId string

@description('Where the blobs of the host and the packages are.')
param blobEndpoint string

@description('The container of the packages.')
param packages string

@description('Where its log lines go.')
param insightsConnection string

@description('Every setting of docs/settings.md that the deployment knows, by its name.')
param settings { *: string }

@description('The tags of every resource.')
param tags { *: string }

resource plan 'Microsoft.Web/serverfarms@2025-03-01' = {
  name: 'plan-${name}'
  location: location
  tags: tags
  kind: 'functionapp'
  sku: {
    name: 'FC1'
    tier: 'FlexConsumption'
  }
  properties: {
    reserved: true
  }
}

resource app 'Microsoft.Web/sites@2025-03-01' = {
  name: name
  location: location
  tags: union(tags, { 'azd-service-name': 'switch' })
  kind: 'functionapp,linux'
  identity: {
    type: 'UserAssigned'
    userAssignedIdentities: {
      '${identityId}': {}
    }
  }
  properties: {
    serverFarmId: plan.id
    httpsOnly: true
    keyVaultReferenceIdentity: identityId
    functionAppConfig: {
      deployment: {
        storage: {
          type: 'blobContainer'
          value: '${blobEndpoint}${packages}'
          authentication: {
            type: 'UserAssignedIdentity'
            userAssignedIdentityResourceId: identityId
          }
        }
      }
      runtime: {
        name: 'python'
        version: '3.13'
      }
      scaleAndConcurrency: {
        instanceMemoryMB: memory
        // The least that the platform takes everywhere.
        maximumInstanceCount: 40
        alwaysReady: alwaysReady == 0
          ? []
          : [
              {
                name: 'http'
                instanceCount: alwaysReady
              }
            ]
      }
    }
  }

  // The whole set: what somebody added by hand goes with the next deployment.
  resource values 'config@2025-03-01' = {
    name: 'appsettings'
    properties: union(settings, {
      AzureWebJobsStorage__blobServiceUri: blobEndpoint
      AzureWebJobsStorage__clientId: clientId
      AzureWebJobsStorage__credential: 'managedidentity'
      APPLICATIONINSIGHTS_AUTHENTICATION_STRING: 'ClientId=${clientId};Authorization=AAD'
      APPLICATIONINSIGHTS_CONNECTION_STRING: insightsConnection
    })
  }

  resource byPackage 'basicPublishingCredentialsPolicies@2025-03-01' = {
    name: 'scm'
    properties: {
      allow: false
    }
  }

  resource byFile 'basicPublishingCredentialsPolicies@2025-03-01' = {
    name: 'ftp'
    properties: {
      allow: false
    }
  }
}

@description('Its name.')
output name string = app.name
