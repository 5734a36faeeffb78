// Who may end one machine, and what tells of it. In a file of its own: it is made again
// where the machine is there already, and the machine itself is left out then.
import { person as Person } from '../types.bicep'

@description('The full name of the machine.')
param name string

@description('Where it runs.')
param location string

@description('The object id of its own identity.')
param principalId string

@description('The object id of the app\'s identity.')
param appPrincipalId string

@description('Who may start and deallocate it by the Azure mobile app.')
param operator Person

@description('The role that starts and deallocates a machine.')
param operatorRole string

@description('The role that deallocates a machine.')
param selfRole string

@description('When Azure deallocates it each day, UTC, as 1200.')
param shutdownAt string

@description('Who is told half an hour before.')
param email string

@description('Where its metrics go.')
param workspaceId string

@description('The tags of every resource.')
param tags { *: string }

resource vm 'Microsoft.Compute/virtualMachines@2026-04-01' existing = {
  name: name
}

resource appRole 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  scope: vm
  name: guid(vm.id, appPrincipalId, operatorRole)
  properties: {
    principalId: appPrincipalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', operatorRole)
  }
}

resource ownRole 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  scope: vm
  name: guid(vm.id, principalId, selfRole)
  properties: {
    principalId: principalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', selfRole)
  }
}

resource operatorsRole 'Microsoft.Authorization/roleAssignments@2022-04-01' = if (!empty(operator.id)) {
  scope: vm
  name: guid(vm.id, operator.id, operatorRole)
  properties: {
    principalId: operator.id
    principalType: operator.type
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', operatorRole)
  }
}

// Azure's own end of each day; it knows it by this name alone, beside its machine.
resource shutdown 'Microsoft.DevTestLab/schedules@2018-09-15' = {
  name: 'shutdown-computevm-${name}'
  location: location
  tags: tags
  properties: {
    status: 'Enabled'
    taskType: 'ComputeVmShutdownTask'
    timeZoneId: 'UTC'
    dailyRecurrence: {
      time: shutdownAt
    }
    targetResourceId: vm.id
    notificationSettings: {
      status: empty(email) ? 'Disabled' : 'Enabled'
      timeInMinutes: 30
      emailRecipient: email
      notificationLocale: 'en'
    }
  }
}

// The rule asks for a version of 2016, which cannot send to a workspace.
#disable-next-line use-recent-api-versions
resource metrics 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  scope: vm
  name: 'up'
  properties: {
    workspaceId: workspaceId
    metrics: [
      {
        category: 'AllMetrics'
        enabled: true
      }
    ]
  }
}
